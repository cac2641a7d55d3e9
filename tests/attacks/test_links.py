"""Attack: a sandbox puts links into the shared folder, and Jupyter's own files API follows them.

It shows other files of the host, copies them to where the sandbox reads, or writes to them."""

import ctypes
import json
import os
import shlex
import threading
import time

import pytest
from tornado.httpclient import HTTPClientError

from sandbook.sandbox.base import SandboxRequest

FORBIDDEN = 403
SECRET = "the secret of the host"
AT_FDCWD, RENAME_EXCHANGE = -100, 2
TRIES = 60
"""An attacker who wins one race of many has won."""


@pytest.fixture
def jp_server_config():
    return {"ServerApp": {"jpserver_extensions": {"sandbook_server": True}}}


@pytest.fixture
def host(tmp_path_factory):
    """A folder of the host that is not shared."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "secret").write_text(SECRET)
    (folder / "folder").mkdir()
    (folder / "folder" / "inside.txt").write_text(SECRET)
    return folder


@pytest.fixture
def shared(jp_root_dir):
    folder = jp_root_dir / "shared"
    folder.mkdir()
    return folder


@pytest.fixture
def sandbox_request(shared):
    return SandboxRequest("11111111-2222-3333-4444-" + os.urandom(6).hex(), shared)


@pytest.fixture
def plant(sandbox, jp_asyncio_loop):
    """Run a command of the attacker in the sandbox, in the shared folder."""

    def run(command):
        argv = ("sh", "-c", f"cd /workspace && {command}")
        told = jp_asyncio_loop.run_until_complete(sandbox.run(*argv))
        assert told.exit_code == 0, told.errors

    return run


@pytest.fixture
def ask(jp_fetch, jp_asyncio_loop):
    """Ask Jupyter's contents API; give back the status and the answer."""

    def run(method, *path, **body):
        sent = json.dumps(body) if method in {"POST", "PUT", "PATCH"} else None
        request = jp_fetch("api", *path, method=method, body=sent, allow_nonstandard_methods=True)
        try:
            answer = jp_asyncio_loop.run_until_complete(request)
        except HTTPClientError as error:
            return error.code, error.response.body.decode()
        return answer.code, answer.body.decode()

    return run


def test_a_link_to_a_file_is_not_opened(plant, host, ask):
    plant(f"ln -s {shlex.quote(str(host / 'secret'))} README.md")

    code, told = ask("GET", "contents", "shared", "README.md")

    assert (code, SECRET in told) == (FORBIDDEN, False)
    assert "follow_links" in told


@pytest.mark.parametrize("way", ["folder/inside.txt", "folder"])
def test_a_link_to_a_folder_is_not_entered(plant, host, ask, way):
    plant(f"ln -s {shlex.quote(str(host / 'folder'))} folder")

    code, told = ask("GET", "contents", "shared", *way.split("/"))

    assert (code, SECRET in told) == (FORBIDDEN, False)
    assert way != "folder" or "inside.txt" not in told


def test_a_chain_of_links_is_not_followed(plant, host, ask):
    plant(f"ln -s {shlex.quote(str(host))} a && ln -s a/folder b && ln -s b/inside.txt c.txt")

    assert ask("GET", "contents", "shared", "c.txt")[0] == FORBIDDEN


def test_a_link_upwards_is_not_followed(plant, host, ask, shared):
    up = os.path.relpath(host / "secret", shared)
    plant(f"ln -s {shlex.quote(up)} up.txt")

    assert ask("GET", "contents", "shared", "up.txt")[0] == FORBIDDEN


def test_no_checkpoint_shows_the_file_to_the_sandbox(plant, host, ask, shared):
    plant(f"ln -s {shlex.quote(str(host / 'secret'))} README.md")

    ask("POST", "contents", "shared", "README.md", "checkpoints")

    found = [path for path in shared.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in found if SECRET in path.read_text()]


def test_checkpoints_are_not_in_the_shared_folder(plant, ask, shared):
    plant("echo old >notes.md")

    made, _ = ask("POST", "contents", "shared", "notes.md", "checkpoints")
    plant("echo new >notes.md")
    restored, _ = ask("POST", "contents", "shared", "notes.md", "checkpoints", "checkpoint")

    assert (made, restored) == (201, 204)
    assert (shared / "notes.md").read_text() == "old\n"
    assert not (shared / ".ipynb_checkpoints").exists()


def test_a_dangling_link_in_place_of_a_checkpoint_is_not_written_through(plant, host, ask):
    new = shlex.quote(str(host / "new"))
    plant(
        "echo x >notes.md; mkdir .ipynb_checkpoints;"
        f" ln -s {new} .ipynb_checkpoints/notes-checkpoint.md"
    )

    ask("POST", "contents", "shared", "notes.md", "checkpoints")

    assert not (host / "new").exists()


@pytest.mark.parametrize("target", ["secret", "new"])
def test_nothing_is_saved_through_a_link(plant, host, ask, target):
    plant(f"ln -s {shlex.quote(str(host / target))} notes.md")

    model = {"type": "file", "format": "text", "content": "changed"}
    code, _ = ask("PUT", "contents", "shared", "notes.md", **model)

    assert code == FORBIDDEN
    assert (host / "secret").read_text() == SECRET
    assert not (host / "new").exists()


def test_nothing_is_saved_in_parts_through_a_link(plant, host, ask):
    plant(f"ln -s {shlex.quote(str(host / 'secret'))} notes.md")

    for chunk in (1, 2, -1):
        model = {"type": "file", "format": "text", "content": "changed", "chunk": chunk}
        ask("PUT", "contents", "shared", "notes.md", **model)

    assert (host / "secret").read_text() == SECRET


def test_a_link_that_waits_where_jupyter_keeps_the_old_content_is_not_followed(plant, host, ask):
    """Jupyter copies a file to `.~NAME` before it saves: with content that the sandbox chose."""
    plant(f"echo planted >notes.md; ln -s {shlex.quote(str(host / 'secret'))} .~notes.md")

    model = {"type": "file", "format": "text", "content": "changed"}
    code, told = ask("PUT", "contents", "shared", "notes.md", **model)

    assert code == 200, told
    assert (host / "secret").read_text() == SECRET


def test_a_copy_of_a_folder_has_links_not_what_they_lead_to(plant, host, ask, shared):
    plant(f"mkdir box; ln -s {shlex.quote(str(host / 'secret'))} box/link")

    ask("POST", "contents", "shared", copy_from="shared/box")

    copies = [path for path in shared.rglob("link") if not path.is_symlink()]
    assert copies == []


def test_a_kernel_is_not_started_below_a_linked_folder(plant, host, ask):
    plant(f"ln -s {shlex.quote(str(host / 'folder'))} linked")

    session = {"type": "notebook", "name": "x", "kernel": {"name": "python3"}}
    by_session = ask("POST", "sessions", path="shared/linked/x.ipynb", **session)
    by_kernel = ask("POST", "kernels", name="python3", path="shared/linked/x.ipynb")
    _, running = ask("GET", "kernels")

    assert "leads out" in by_session[1]
    assert "leads out" in by_kernel[1]
    assert min(by_session[0], by_kernel[0]) >= FORBIDDEN
    assert json.loads(running) == []


def test_a_person_sees_such_a_link_and_can_delete_it(plant, host, ask, shared):
    plant(f"ln -s {shlex.quote(str(host / 'folder'))} bad; ln -s {shlex.quote(str(host))}/no gone")

    _, told = ask("GET", "contents", "shared")
    names = {row["name"] for row in json.loads(told)["content"]}
    codes = [ask("DELETE", "contents", "shared", name)[0] for name in ("bad", "gone")]

    assert "bad" in names
    assert codes == [204, 204]
    assert list(shared.iterdir()) == []
    assert (host / "folder" / "inside.txt").read_text() == SECRET


def test_links_inside_work(plant, ask, shared):
    plant("mkdir data; echo inside >data/file.txt; ln -s data/file.txt link.txt; ln -s data there")

    _, through_link = ask("GET", "contents", "shared", "link.txt")
    _, below_link = ask("GET", "contents", "shared", "there", "file.txt")
    model = {"type": "file", "format": "text", "content": "changed\n"}
    code, _ = ask("PUT", "contents", "shared", "link.txt", **model)

    assert json.loads(through_link)["content"] == "inside\n"
    assert json.loads(below_link)["content"] == "inside\n"
    assert code == 200
    assert (shared / "link.txt").is_symlink()
    assert (shared / "data" / "file.txt").read_text() == "changed\n"


def test_a_link_that_comes_and_goes_is_never_followed(plant, host, ask, shared):
    """Between the look at a file and its opening, it becomes a link: again and again."""
    secret, place, over = host / "secret", shared / "swapped.txt", threading.Event()
    place.write_text("harmless")

    def swap():
        while not over.is_set():
            for make in (lambda path: path.symlink_to(secret), lambda path: path.write_text("x")):
                draft = shared / "draft"
                make(draft)
                draft.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    model = {"type": "file", "format": "text", "content": "changed"}
    try:
        told = [ask("GET", "contents", "shared", "swapped.txt")[1] for _ in range(60)]
        for _ in range(60):
            ask("PUT", "contents", "shared", "swapped.txt", **model)
    finally:
        over.set()
        thread.join()

    assert not [text for text in told if SECRET in text]
    assert secret.read_text() == SECRET


class TestAPersonWhoAllowsIt:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        return {**jp_server_config, "SandbookApp": {"follow_links": True}}

    def test_follows_links_as_jupyter_does(self, plant, host, ask):
        plant(f"ln -s {shlex.quote(str(host / 'secret'))} README.md")

        assert SECRET in ask("GET", "contents", "shared", "README.md")[1]


class TestAPersonWithAContentsManagerOfHisOwn:
    @pytest.fixture
    def jp_server_config(self, jp_server_config):
        name = "jupyter_server.services.contents.largefilemanager.AsyncLargeFileManager"
        options = {**jp_server_config["ServerApp"], "contents_manager_class": name}
        return {"ServerApp": options}

    def test_keeps_it(self, jp_serverapp):
        assert type(jp_serverapp.contents_manager).__name__ == "AsyncLargeFileManager"


DEEP = """
import os
os.chdir("/workspace")
os.mkdir("deep")
os.chdir("deep")
long, short = "n" * 247, "abcdefghijklmnopqrs"
for letter in short:
    os.mkdir(long)
    os.symlink(long, letter)
    os.chdir(long)
os.symlink(HOST, "box")
"""
"""Folders so deep that the path of the last one is too long for any call, and a short way there."""
SHORT = "abcdefghijklmnopqrs"


class TestALinkAtTheEndOfAPathThatIsTooLong:
    """The kernel follows it; a library that asks for each part by name takes it for no link."""

    @pytest.fixture
    def box(self, sandbox, host, jp_asyncio_loop):
        script = f"HOST = {str(host / 'folder')!r}\n{DEEP}"
        made = jp_asyncio_loop.run_until_complete(sandbox.run("python3", "-c", script))
        assert made.exit_code == 0, made.errors
        return ("shared", "deep", *SHORT, "box")

    def test_is_not_entered(self, box, ask):
        code, told = ask("GET", "contents", *box)

        assert (code, "inside.txt" in told) == (FORBIDDEN, False)

    def test_is_neither_copied_nor_moved_nor_written_to(self, box, host, ask, shared):
        inside = "/".join(box)
        (shared / "mine.txt").write_text("mine")
        model = {"type": "file", "format": "text", "content": "x"}

        codes = {
            ask("POST", "contents", copy_from=inside)[0],
            ask("PATCH", "contents", *box, "inside.txt", path="shared/stolen.txt")[0],
            ask("PATCH", "contents", "shared", "mine.txt", path=f"{inside}/mine.txt")[0],
            ask("PUT", "contents", *box, "new", type="directory")[0],
            ask("PUT", "contents", *box, "inside.txt", chunk=2, **model)[0],
            ask("DELETE", "contents", *box, "inside.txt")[0],
        }

        assert codes == {FORBIDDEN}
        assert [path.name for path in (host / "folder").iterdir()] == ["inside.txt"]
        assert (host / "folder" / "inside.txt").read_text() == SECRET
        assert not [path for path in shared.glob("*.txt") if SECRET in path.read_text()]


@pytest.fixture(params=["folder", "file"])
def swapping(request, shared, host):
    """A folder, or a file in one, and a link to the host's: they change places all the time."""
    folder, over = shared / "place", threading.Event()
    folder.mkdir()
    (folder / "inside.txt").write_text("harmless")
    place = folder if request.param == "folder" else folder / "inside.txt"
    aside = shared / "aside"
    aside.symlink_to(host / "folder" / place.relative_to(folder))
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    one, other = str(place).encode(), str(aside).encode()

    def swap():
        while not over.is_set():
            exchange(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)

    thread = threading.Thread(target=swap)
    thread.start()
    yield "shared/place"
    over.set()
    thread.join()


def untouched(host):
    return {path.name: path.read_text() for path in (host / "folder").iterdir()} == {
        "inside.txt": SECRET
    }


class TestAFolderThatBecomesALinkBetweenLookAndUse:
    def test_gets_no_part_of_an_upload(self, swapping, ask, host):
        model = {"type": "file", "format": "text", "content": "changed", "chunk": 2}
        for _ in range(TRIES):
            ask("PUT", "contents", *swapping.split("/"), "inside.txt", **model)

        assert untouched(host)

    def test_gives_and_takes_nothing_by_another_name(self, swapping, ask, host, shared):
        for number in range(TRIES):
            ask("PATCH", "contents", *swapping.split("/"), "inside.txt", path="shared/taken.txt")
            taken = shared / "taken.txt"
            copied = taken.exists() and not taken.is_symlink()
            assert not copied or SECRET not in taken.read_text(), number
            ask("PATCH", "contents", "shared", "taken.txt", path=f"{swapping}/inside.txt")

        assert untouched(host)

    def test_is_copied_without_what_the_link_leads_to(self, ask, host, shared):
        """The attacker sees the copy begin, and has time until its last folder."""
        big, copy = shared / "big", shared / "big-Copy1"
        big.mkdir()
        for number in range(2000):
            (big / f"f{number}").write_text("x")
        folders = [big / f"s{number}" for number in range(40)]
        for folder in folders:
            folder.mkdir()

        def swap():
            deadline = time.monotonic() + 20
            while not copy.exists() and time.monotonic() < deadline:
                time.sleep(0.0005)
            for folder in folders:
                folder.rmdir()
                folder.symlink_to(host / "folder")

        thread = threading.Thread(target=swap)
        thread.start()
        code, _ = ask("POST", "contents", "shared", copy_from="shared/big")
        thread.join()

        assert code in {201, 400}  # what is no folder any more cannot be copied as one
        copies = [path for path in copy.glob("s*/inside.txt") if not path.parent.is_symlink()]
        assert copies == []
        assert untouched(host)

    def test_gets_no_new_folder(self, swapping, ask, host):
        for number in range(TRIES):
            path = (*swapping.split("/"), f"new-{number}")
            ask("PUT", "contents", *path, type="directory")

        assert untouched(host)
