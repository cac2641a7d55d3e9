"""What a request sends, and how often."""

import asyncio
import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbook.output import MEGABYTE, OutputPolicy
from sandbook_kernel.display import Display, text
from sandbook_kernel.publisher import Publisher, Request
from sandbook_kernel.stream import CHUNK_BYTES, INTERVAL_S, TAIL_BYTES

LIMIT = 1 << 20


class Sent(list):
    """What was sent, as (kind, content)."""

    def __call__(self, kind, content):
        self.append((kind, content))

    def of(self, name):
        streams = [content for kind, content in self if kind == "stream"]
        return "".join(content["text"] for content in streams if content["name"] == name)

    @property
    def text(self):
        return self.of("stdout")

    @property
    def kinds(self):
        return [kind for kind, _ in self]


@pytest.fixture
def sent():
    return Sent()


@pytest.fixture
def publisher(sent, tmp_path):
    return Publisher(
        sent, request=Request("3f2a-7.log", tmp_path / "logs", LINK, execution_count=7)
    )


@pytest.fixture
def log(tmp_path):
    return tmp_path / "logs" / "3f2a-7.log"


LINK = "/lab/sandbook/3f2a/logs/7"


def lines(count):
    return b"".join(b"line %07d\n" % number for number in range(count))


async def test_the_first_output_goes_out_at_once(publisher, sent):
    publisher.output(b"now")

    assert sent == [("stream", {"name": "stdout", "text": "now"})]


async def test_what_follows_is_gathered(publisher, sent):
    for _ in range(1000):
        publisher.output(b"x")
    await asyncio.sleep(2 * INTERVAL_S)

    assert sent.text == "x" * 1000
    assert publisher.bytes == 1000
    assert len(sent) < 100


async def test_a_flood_goes_out_in_chunks(publisher, sent):
    for _ in range(256):
        publisher.output(b"x" * 1024)
    publisher.flush()

    assert len(sent.text) == 256 * 1024
    assert max(len(content["text"]) for _, content in sent) <= CHUNK_BYTES


async def test_bytes_that_are_no_text_are_replaced_and_not_lost(publisher, sent):
    publisher.output(b"a\xff\xe2")
    publisher.flush()

    assert sent.text == "a\ufffd\ufffd"


@given(st.binary(max_size=200) | st.text(max_size=60).map(str.encode), st.data())
@settings(max_examples=300)
def test_output_cut_anywhere_is_decoded_as_if_it_were_not(data, draw):
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))
    sent = Sent()

    async def publish():
        publisher = Publisher(sent)
        for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            publisher.output(data[begin:end])
        publisher.flush()

    asyncio.run(publish())
    if data.count(b"\r") < 3:
        assert sent.text == data.decode("utf-8", "replace")


async def test_a_short_use_of_carriage_returns_stays_exact(publisher, sent):
    publisher.output(b"first\n")
    publisher.output(b"a\rb\rc\r\n")
    publisher.flush()

    assert sent.text == "first\na\rb\rc\r\n"


async def test_a_progress_bar_collapses_within_a_window(publisher, sent):
    publisher.output(b"begin\n")
    for percent in range(101):
        publisher.output(b"\r%3d %%" % percent)
    publisher.output(b"\r\ndone\n")
    publisher.flush()

    assert sent.text.startswith("begin\n\r")
    assert sent.text.endswith("\r100 %\r\ndone\n")
    assert len(sent.text) < 101 * 6


async def test_a_progress_bar_never_uses_up_the_live_limit(publisher, sent, log):
    bar = b"\r" + b"#" * 99
    for _ in range(2 * LIMIT // 1000):
        publisher.output(bar * 10)
    publisher.output(b"\nend\n")
    publisher.flush()

    assert sent.text.endswith("\nend\n")
    assert "left out" not in sent.text
    assert not log.exists()


async def test_up_to_the_limit_all_is_shown_and_nothing_is_kept(publisher, sent, log):
    data = lines(LIMIT // 13)
    publisher.output(data)
    publisher.flush()

    assert sent.text == data.decode()
    assert not log.parent.exists()


async def test_a_little_more_than_the_limit_is_shown_in_the_end(publisher, sent, log):
    data = "é".encode() * ((LIMIT + TAIL_BYTES - 2) // 2)
    publisher.output(b"x" + data)
    before = len(sent.text)
    publisher.flush()

    assert before < len(sent.text)
    assert sent.text == "x" + data.decode()
    assert not log.parent.exists()


@pytest.mark.parametrize("piece", [7000, 1 << 17, 1 << 30])
async def test_much_output_is_head_and_tail_and_a_log_with_every_byte(publisher, sent, log, piece):
    data = lines(4_000_000)
    for begin in range(0, len(data), piece):
        publisher.output(data[begin : begin + piece])
    live = len(sent.text)
    publisher.flush()

    assert log.read_bytes() == data
    assert live <= LIMIT
    assert len(sent.text) < LIMIT + TAIL_BYTES + 100 + len(str(log))
    head, gap, tail = sent.text.partition("\n… ")
    gap, _, tail = tail.partition(" …\n")
    assert data.startswith(head.encode())
    assert data.endswith(tail.encode())
    assert gap == f"51 MB left out; all of it is in {log}"
    assert publisher.bytes == len(data)
    kind, content = sent[-1]
    end = f"51 MB of the output above are left out. All output: {log} (52 MB)"
    assert (kind, content["data"]["text/plain"]) == ("display_data", end)
    assert f'href="{LINK}"' in content["data"]["text/html"]
    assert len(sent) < 40


async def test_the_log_can_be_opened_while_the_cell_still_runs(publisher, sent, log):
    publisher.output(lines(200_000))

    kind, content = sent[-1]
    assert kind == "display_data"
    assert f'href="{LINK}"' in content["data"]["text/html"]
    assert str(log) in content["data"]["text/plain"]

    publisher.output(lines(200_000))
    publisher.flush()

    (updated,) = [content for kind, content in sent if kind == "update_display_data"]
    assert updated["transient"] == content["transient"]
    assert "5.2 MB" in updated["data"]["text/plain"]


async def test_the_tail_begins_with_a_whole_character(publisher, sent):
    data = "😀".encode()
    publisher.output(b"a" * (LIMIT - 1) + data * (1 << 16) + b"a")
    publisher.flush()

    assert "\ufffd" not in sent.text
    assert sent.text.endswith("😀a")


async def test_the_same_cell_may_go_on_after_a_flush(publisher, sent, log):
    publisher.output(lines(200_000))
    publisher.flush()
    publisher.output(b"and then\n")
    publisher.flush()

    assert sent.text.endswith("line 0199999\nand then\n")
    assert log.read_bytes() == lines(200_000) + b"and then\n"


async def test_zeros_cost_more_than_they_seem_to_and_are_cut_earlier(publisher, sent):
    publisher.output(bytes(2 * LIMIT))

    assert len(sent.text) < LIMIT // 2


async def test_the_log_has_a_bound_and_says_so(sent, tmp_path, log):
    policy = OutputPolicy(live_limit_kb=1, log_limit_mb=1)
    publisher = Publisher(sent, policy, Request("3f2a-7.log", tmp_path / "logs"))
    for _ in range(20):
        publisher.output(lines(10_000))
    publisher.flush()

    kept = log.read_bytes()
    assert kept[:LIMIT] == (lines(10_000) * 20)[:LIMIT]
    assert "log ends here" in kept[LIMIT:].decode()
    assert f"the first 1.0 MB of all are in {log}" in sent.text
    assert "c.OutputPolicy.log_limit_mb" in sent.of("stderr")
    assert sent.text.endswith("line 0009999\n")


async def test_logs_make_room_for_newer_ones(sent, tmp_path, log):
    policy = OutputPolicy(live_limit_kb=1, log_limit_mb=1, logs_limit_mb=3, logs_kept_days=2)
    log.parent.mkdir()
    (tmp_path / "outside").write_text("mine")
    (log.parent / "link.log").symlink_to(tmp_path / "outside")
    for age, name in enumerate(["new", "middle", "old", "older"]):
        (log.parent / f"{name}.log").write_bytes(bytes(MEGABYTE * 3 // 4))
        os.utime(log.parent / f"{name}.log", (0, time.time() - 3600 * age))
    (log.parent / "ancient.log").touch()
    os.utime(log.parent / "ancient.log", (0, time.time() - 3 * 24 * 3600))
    publisher = Publisher(sent, policy, Request(log.name, log.parent))
    for _ in range(20):
        publisher.output(lines(10_000))
    publisher.flush()

    kept = {path.name for path in log.parent.glob("*.log") if not path.is_symlink()}
    assert kept == {log.name, "new.log", "middle.log"}
    assert sum(path.stat().st_size for path in log.parent.glob("*.log")) < 3 * MEGABYTE
    assert (tmp_path / "outside").read_text() == "mine"
    assert (log.parent.stat().st_mode & 0o777, log.stat().st_mode & 0o777) == (0o755, 0o600)


async def test_a_log_that_cannot_be_made_is_told_and_output_goes_on(publisher, sent, tmp_path):
    (tmp_path / "logs").write_text("in the way")
    publisher.output(lines(200_000))
    publisher.output(lines(200_000))
    publisher.flush()

    assert sent.of("stderr").count("does not hold all output: file exists.") == 1
    assert "MB left out …" in sent.text
    assert sent.text.endswith("line 0199999\n")
    (told,) = [content["data"] for kind, content in sent if kind == "display_data"]
    assert told["text/plain"] == "4.1 MB of the output above are left out."


async def test_a_full_disk_is_told_and_output_goes_on(publisher, sent, monkeypatch):
    def write(file, data):
        raise OSError(28, os.strerror(28))

    publisher.output(lines(200_000))
    monkeypatch.setattr(os, "write", write)
    publisher.output(lines(200_000))
    publisher.flush()

    assert "no space left on device" in sent.of("stderr")
    assert "the first 2.6 MB of all are in" in sent.text
    assert sent.text.endswith("line 0199999\n")


@pytest.mark.parametrize("what", ["folder", "file", "hard link"])
async def test_the_sandbox_cannot_choose_what_is_written_to(publisher, tmp_path, log, what):
    target = tmp_path / "target"
    if what == "folder":
        target.mkdir()
        log.parent.symlink_to(target)
    else:
        target.write_text("mine")
        log.parent.mkdir()
        log.symlink_to(target) if what == "file" else log.hardlink_to(target)

    publisher.output(lines(200_000))
    publisher.flush()

    assert not list(target.iterdir()) if what == "folder" else target.read_text() == "mine"


async def test_a_display_keeps_its_place_after_the_output_before_it(publisher, sent):
    publisher.output(b"1")
    publisher.output(b"2")
    publisher.display(text("3"))

    assert sent.text == "12"
    assert sent.kinds[-1] == "display_data"


async def test_what_has_an_id_is_shown_once_and_then_updated(sent):
    ids = {}
    for cell in ("one", "two"):
        publisher = Publisher(sent, request=Request(cell_id=cell), shown_ids=ids)
        publisher.display(text("a"), "x")
        publisher.display(text("b"), "x")

    assert sent.kinds == ["display_data"] + 3 * ["update_display_data"]
    assert {content["transient"]["display_id"] for _, content in sent} == {"x"}


@pytest.mark.parametrize("cell", ["one", ""])
async def test_a_cell_that_runs_again_or_clears_its_output_shows_it_anew(sent, cell):
    ids = {}
    for _ in range(2):
        publisher = Publisher(sent, request=Request(cell_id=cell), shown_ids=ids)
        publisher.display(text("a"), "x")
    publisher.clear_output(wait=True)
    publisher.display(text("b"), "x")

    again = "display_data" if cell else "update_display_data"
    assert sent.kinds == ["display_data", again, "clear_output", "display_data"]
    assert sent[2][1] == {"wait": True}


async def test_a_result_carries_the_number_of_the_cell(publisher, sent):
    publisher.execute_result(Display({"text/plain": "42"}))

    content = {"execution_count": 7, "data": {"text/plain": "42"}, "metadata": {}}
    assert sent == [("execute_result", content)]


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("", ""),
        ("done\n", ""),
        ("a\nname? ", "name? "),
        ("wait...\rname? ", "name? "),
        ("\x1b[1mpass\x1b[0mword: \x1b[?2004h", "password: "),
        ("é" * 5000, "é" * 500),
    ],
)
async def test_the_last_line_is_the_prompt(publisher, output, line):
    for byte in output.encode():
        publisher.output(bytes([byte]))

    assert publisher.last_line == line


async def test_a_prompt_is_taken_back_before_it_is_asked_elsewhere(publisher, sent):
    publisher.output(b"hi\n\x1b[1mname?\x1b[0m ")
    publisher.take_back(publisher.last_line)

    assert sent.text.startswith("hi\n\x1b[1mname?\x1b[0m \r   ")
    assert sent.text.endswith(" \r")
    assert len(sent.text.rpartition("\n")[2].split("\r")[1]) == len("\x1b[1mname?\x1b[0m ")
    assert publisher.last_line == ""
    publisher.output(b"hello\n? ")
    assert publisher.last_line == "? "


async def test_only_the_prompt_is_taken_back(publisher, sent):
    publisher.output(b"step 1 ok, go on? ")
    publisher.take_back("go on?")

    assert sent.text.endswith(" \rstep 1 ok, ")


async def test_an_error_is_words_and_no_traceback(publisher, sent):
    content = publisher.error("ExitStatus", "exit status 3")

    assert sent == [("error", content)]
    assert content["evalue"] == "exit status 3"
    assert "Traceback" not in "".join(content["traceback"])


async def test_a_huge_error_keeps_its_beginning_and_its_end(publisher, sent):
    content = publisher.error("E" * 10_000, "begin" + "-" * 10**7 + "end", "first" + "x" * 10**7)

    name, message, (traceback,) = content.values()
    assert len(name) < 300
    assert len(message) < 5_000
    assert message.startswith("begin-")
    assert message.endswith("-end")
    assert "characters" in message
    assert len(traceback) < 50_000
    assert traceback.startswith("firstx")
    assert sent[-1] == ("error", content)
