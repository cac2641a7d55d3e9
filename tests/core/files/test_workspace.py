"""What one does with files all day, on every backend."""

import pytest

from sandbook.errors import (
    AlreadyExistsError,
    FileError,
    IsAFolderError,
    NotAFolderError,
    PathNotFoundError,
    TooLargeError,
)

ODD_NAMES = [
    "two words",
    "new\nline",
    "tail\n",
    "'quo\"te`$(id)",
    "-rf",
    "*?[a]",
    "\u2603\U0001f600",
    "not-utf8-\udcff\udcfe",
    "back\\slash",
    ".dot",
]


async def test_what_was_written_is_read_with_every_byte(files):
    data = bytes(range(256)) * 3

    await files.write("all.bin", data)

    assert await files.read("all.bin") == data


async def test_an_empty_file_is_a_file(files):
    await files.write("empty", b"")

    assert await files.read("empty") == b""
    assert (await files.stat("empty")).size == 0


async def test_any_name_works(files):
    for name in ODD_NAMES:
        await files.write(f"odd/{name}", name)

        assert [info.name for info in await files.list_folder("odd")] == [name]
        assert await files.read(f"odd/{name}") == name.encode("utf-8", "surrogateescape")
        assert (await files.stat(f"odd/{name}")).kind == "file"
        await files.move(f"odd/{name}", f"odd/{name}2")
        assert await files.glob("odd/.d*" if name == ".dot" else "odd/*") == [f"odd/{name}2"]
        await files.remove(f"odd/{name}2")
        assert await files.list_folder("odd") == []


@pytest.mark.parametrize("quick", [True, False], ids=["with python", "without python"])
@pytest.mark.parametrize("shared_sandbox", ["docker"], indirect=True)
async def test_users_and_groups_may_have_names_of_several_words(quick, files, machine):
    """Directories of companies call theirs `domain users`."""
    lists = "echo 'EX\\jo doe:x:4242:4243::/:/bin/sh' >>/etc/passwd"
    lists += "; echo 'domain users:x:4243:' >>/etc/group"
    await machine.bash("true")
    await machine.sandbox.run("sh", "-c", lists, root=True)
    whose = f"mkdir -p {machine.folder}; cd {machine.folder}; echo >'a b'; chown 4242:4243 'a b'"
    await machine.sandbox.run("sh", "-c", f"{whose}; ln -s 'a b' link", root=True)
    if not quick:
        files._courier.quick = frozenset()

    listed = await files.list_folder()
    found = await files.stat("link")

    assert [info.name for info in listed] == ["a b", "link"]
    for info in (listed[0], listed[1].followed, found.followed):
        assert (info.owner, info.group) == ("EX\\jo doe", "domain users")


async def test_relative_paths_begin_where_the_shell_is(files, machine):
    await files.write("sub/x", "1")
    files.cwd = f"{machine.folder}/sub"

    assert await files.read("x") == b"1"
    assert await files.read("../sub/x") == b"1"
    assert await files.read(f"{machine.folder}/sub/x") == b"1"


async def test_parents_are_made_and_text_keeps_its_line_ends(files):
    await files.write("a/b/c.txt", "eins\r\nzwei\n\u00e4")

    assert await files.read_text("a/b/c.txt") == "eins\r\nzwei\n\u00e4"


async def test_what_is_not_text_is_said(files):
    await files.write("latin", "\u00e4".encode("latin-1"))

    with pytest.raises(FileError, match="not text in utf-8"):
        await files.read_text("latin")
    assert await files.read_text("latin", "latin-1") == "\u00e4"


async def test_a_range_is_read(files):
    await files.write("x", b"0123456789")

    assert await files.read("x", 3, 4) == b"3456"
    assert await files.read("x", 8) == b"89"
    assert await files.read("x", 8, 100) == b"89"
    assert await files.read("x", 100) == b""


async def test_replacing_keeps_mode_owner_and_link(files, machine):
    await machine.bash("echo old >real; chmod 751 real; ln -s real link")

    await files.write("link", "new")

    assert await machine.bash("cat real; stat -c %a real; readlink link") == b"new751\nreal\n"
    before = await machine.bash("echo >mine; stat -c %u:%g mine")
    await files.write("mine", "x")
    assert await machine.bash("stat -c %u:%g mine") == before


async def test_a_dangling_link_gets_its_file(files, machine):
    await machine.bash("ln -s later link")

    await files.write("link", "x")

    assert await machine.bash("cat later; readlink link") == b"xlater\n"


async def test_replacing_is_atomic(files, machine):
    await machine.bash("echo old >x; exec 5<x; ln x before")

    await files.write("x", "new")

    assert await machine.bash("cat before x") == b"old\nnew"


async def test_a_mode_can_be_given(files, machine):
    await files.write("run.sh", "echo", mode=0o755)

    assert (await files.stat("run.sh")).mode == 0o755


async def test_new_means_new(files):
    await files.write("x", "1", replace=False)

    with pytest.raises(AlreadyExistsError, match="there already"):
        await files.write("x", "2", replace=False)
    assert await files.read("x") == b"1"


async def test_appending(files, machine):
    await files.append("log/x", "one\n")
    await files.append("log/x", b"two\n")
    await machine.bash("ln -s log/x link")
    await files.append("link", b"three\n")

    assert await files.read("log/x") == b"one\ntwo\nthree\n"


async def test_a_folder_is_listed_folders_first(files, machine):
    await machine.bash("mkdir b Z; touch a.txt B.txt .hidden; ln -s b l; ln -s nowhere broken")

    listed = await files.list_folder()

    names = [info.name for info in listed]
    assert names == ["b", "l", "Z", ".hidden", "a.txt", "B.txt", "broken"]
    assert {info.name for info in listed if info.is_broken} == {"broken"}
    assert {info.name for info in listed if info.is_folder} == {"b", "l", "Z"}


async def test_a_link_is_told_with_its_end(files, machine):
    await machine.bash("echo 12345 >real; ln -s real link; ln -s none broken")

    link, broken = await files.stat("link"), await files.stat("broken")

    assert (link.kind, link.target, link.followed.size) == ("link", "real", 6)
    assert (broken.is_broken, broken.target) == (True, "none")
    assert link.etag == (await files.stat("real")).etag


async def test_globbing_does_not_run_anything(files, machine):
    await machine.bash("mkdir -p d/e; touch a.py d/b.py d/e/c.py 'x y.py' .h.py")

    assert await files.glob("**/*.py") == ["a.py", "d/b.py", "d/e/c.py", "x y.py"]
    assert await files.glob("**/*.py", most=2) == ["a.py", "d/b.py"]
    assert await files.glob("*.py", "d") == ["b.py"]
    assert await files.glob("$(touch hacked)*;`touch hacked`") == []
    assert await files.glob("nothing*") == []
    assert "hacked" not in [info.name for info in await files.list_folder()]


async def test_moving_and_removing(files, machine):
    await machine.bash("mkdir -p d/sub; echo 1 >one; echo 2 >two; ln -s d link")

    await files.move("one", "new/place")
    with pytest.raises(AlreadyExistsError, match="two"):
        await files.move("new/place", "two")
    await files.move("new/place", "two", replace=True)
    with pytest.raises(AlreadyExistsError):
        await files.move("two", "d", replace=True)
    await files.remove("link")
    with pytest.raises(AlreadyExistsError):
        await files.remove("d")
    await files.remove("d", recursive=True)

    assert await machine.bash("cat two; ls") == b"1\nnew\ntwo\n"


async def test_folders_are_made_with_those_on_the_way(files):
    await files.mkdir("a/b")
    await files.mkdir("a/b")

    with pytest.raises(AlreadyExistsError):
        await files.mkdir("a/b", exist_ok=False)
    await files.write("a/x", "")
    with pytest.raises(AlreadyExistsError):
        await files.mkdir("a/x")
    assert (await files.stat("a/b")).is_folder


async def test_the_root_and_the_workspace_stay(files, machine):
    for path in ("/", "/tmp/..", machine.sandbox.workspace):
        with pytest.raises(FileError, match="stays"):
            await files.remove(path, recursive=True)
        with pytest.raises(FileError, match="stays"):
            await files.move(path, "/tmp/elsewhere")


async def test_what_is_not_there_is_an_error_in_words(files):
    for work in (
        files.read("none"),
        files.stat("none"),
        files.list_folder("none"),
        files.glob("*", "none"),
        files.move("none", "x"),
        files.remove("none"),
    ):
        with pytest.raises(PathNotFoundError, match="none"):
            await work


async def test_a_folder_is_no_file_and_a_file_no_folder(files):
    await files.write("d/x", "1")

    for work in (files.read("d"), files.write("d", ""), files.append("d", "")):
        with pytest.raises(IsAFolderError):
            await work
    with pytest.raises(NotAFolderError):
        await files.list_folder("d/x")
    with pytest.raises(FileError):
        await files.write("d/x/y", "")
    assert await files.read("d/x") == b"1"


async def test_an_error_does_not_disturb_what_comes_next(files):
    await files.write("x", "1")

    for _ in range(3):
        with pytest.raises(PathNotFoundError):
            await files.read("none")
        with pytest.raises(IsAFolderError):
            await files.write(".", "0\x00hostile\x00" * 1000)
        assert await files.read("x") == b"1"


async def test_no_more_is_read_than_somebody_wants(files):
    await files.write("x", b"x" * 3000)

    with pytest.raises(TooLargeError, match="1000"):
        await files.read("x", limit=1000)
    with pytest.raises(TooLargeError):
        await files.read("x", 0, 2000, limit=1000)
    assert len(await files.read("x", 0, 1000, limit=1000)) == 1000
    assert len(await files.read("x", limit=3000)) == 3000


async def test_files_without_a_size_are_read(files):
    assert b"processor" in await files.read("/proc/cpuinfo")


async def test_a_path_that_cannot_be_is_refused(files):
    for path in ("", "a\0b", "\ud800"):
        with pytest.raises(FileError):
            await files.read(path)
    with pytest.raises(FileError, match="too long"):
        await files.write("n" * 300, "")
