"""What goes wrong on the way to a server, with servers that do nothing else."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sandbook.client import AsyncSandbox, ClientError, Sandbox
from sandbook.client.events import Completed, EventReader, Output
from tests.client.conftest import free_port


@pytest.fixture
def serve():
    """Answer each request with the next of some answers; tell what was asked."""
    servers, over = [], threading.Event()

    def start(*answers, port=0):
        asked, left = [], list(answers)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                asked.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
                status, headers, body = left.pop(0)
                if status == SILENT:
                    over.wait()
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/sandbook/x", asked

    yield start
    over.set()
    for server in servers:
        server.shutdown()
        server.server_close()


SILENT = 0
FILES = (200, {}, b'["a"]')
BUSY = (429, {"Retry-After": "0"}, b'{"code": "too-many", "detail": "Slowly."}')


def test_too_much_at_once_is_tried_again_a_few_times(client_of, serve):
    url, asked = serve(BUSY, BUSY, FILES, *[BUSY] * 9)
    client = client_of(url)

    assert client.list_files() == ["a"]
    assert len(asked) == 3
    with pytest.raises(ClientError, match=r"Slowly. There were too many requests") as refused:
        client.list_files()
    assert (refused.value.status, refused.value.code) == (429, "too-many")
    assert len(asked) == 7


def test_nothing_else_is_tried_again(client_of, serve):
    url, asked = serve((500, {}, b"no JSON"), (502, {}, b'{"detail": "It died."}'), FILES)
    client = client_of(url)

    with pytest.raises(ClientError, match="The server answered 500 Internal Server Error") as broke:
        client.list_files()
    with pytest.raises(ClientError, match="It died"):
        client.run("make")
    assert len(asked) == 2
    assert broke.value.code == "http-500"


def test_a_server_that_is_about_to_start_is_waited_for(client_of, serve):
    port, told = free_port(), []
    starting = threading.Timer(0.5, lambda: told.append(serve(FILES, port=port)))
    starting.start()

    names = client_of(f"http://127.0.0.1:{port}/sandbook/x").list_files()
    starting.join()

    assert names == ["a"]


def test_a_server_that_is_gone_is_told_at_once(client_of, serve):
    url = f"http://127.0.0.1:{free_port()}/sandbook/x"

    with pytest.raises(ClientError, match=r"Nobody answers at .* Is the server running") as nobody:
        client_of(url, start_timeout=0).alive()
    with pytest.raises(ClientError, match="is no address of a server"):
        client_of("sandbook/x", start_timeout=0).alive()

    assert (nobody.value.code, nobody.value.status) == ("unreachable", None)


def test_an_answer_that_breaks_off_is_no_answer(client_of, serve):
    url, _ = serve((200, {"Content-Length": "100"}, b'["a"'))

    with pytest.raises(ClientError, match="broke off before the answer was complete") as broke:
        client_of(url).list_files()
    assert broke.value.code == "broken-off"


def test_a_request_gives_up_a_little_later_than_its_action(client_of, serve, monkeypatch):
    monkeypatch.setattr("sandbook.client.calls.MARGIN_S", 0.2)
    url, asked = serve((SILENT, {}, b""))

    with pytest.raises(ClientError, match=r"within 0.4 seconds. A command may still run") as late:
        client_of(url).run("make", timeout=0.2)
    assert late.value.code == "timeout"
    assert json.loads(asked[0][1])["action"]["timeout"] == 0.2


def test_events_are_whole_however_they_are_cut():
    ended = {"observation": "run", "content": "", "extras": {"metadata": {"exit_code": 0}}}
    sent = ": still there\n\nevent: start\ndata: " + json.dumps({"action": {}})
    sent += "\n\nevent: output\ndata: " + json.dumps({"text": "a\n\nü"}, ensure_ascii=False)
    sent += f"\n\nevent: complete\ndata: {json.dumps(ended)}\n\n"
    reader = EventReader()

    pieces = [sent.encode()[at : at + 1] for at in range(len(sent.encode()))]
    events = [event for piece in pieces for event in reader.feed(piece)]
    reader.end()

    assert events[1] == Output("a\n\nü")
    assert isinstance(events[-1], Completed)


def test_a_stream_without_an_end_is_an_error():
    reader = EventReader()
    list(reader.feed(b'event: output\ndata: {"text": "a"}\n\n'))

    with pytest.raises(ClientError, match="ended before the command did"):
        reader.end()


def test_both_flavours_can_do_the_same():
    def surface(kind):
        return {name for name in vars(kind) if not name.startswith("_")}

    assert surface(Sandbox) == surface(AsyncSandbox)


async def test_the_loop_goes_on_while_a_client_waits(serve):
    url, _ = serve(BUSY, FILES)
    async with AsyncSandbox(url) as client:
        listing = asyncio.ensure_future(client.list_files())
        await asyncio.sleep(0)
        assert not listing.done()
        assert await listing == ["a"]
