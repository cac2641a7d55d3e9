"""Edits a small world as agents do, and compares with what they were told by the original."""

import json
from pathlib import Path

import pytest

from sandbook.errors import EditError
from sandbook.files import editor, editor_texts
from sandbook.files.edit_checks import Found, check_file, check_path
from sandbook.files.history import History

EXCHANGES = [
    json.loads(line)
    for line in (Path(__file__).parent / "edit_exchanges.jsonl").read_text().splitlines()
]
FILES = {
    "/workspace/d1/a.txt": "whole\n\n",
    **dict.fromkeys(
        f"/workspace/{name}"
        for name in ("b.bin", "g.bmp", "g.svg", "l1.txt", "p.png", "t.png", "tx.pdf", "v.mp4")
    ),
    **dict.fromkeys(f"/workspace/{name}" for name in ("v.ogg", "v.webm", "x.pdf")),
}


class World:
    """Files in a dictionary; those without text are binary."""

    def __init__(self):
        self.files = dict(FILES)
        self.history = History()

    def found(self, path):
        if path == "/workspace":
            return Found(exists=True, is_folder=True)
        return Found(exists=path in self.files, is_binary=self.files.get(path, "") is None)

    def do(self, command="", path="", **args):
        try:
            editor.line_number(args.get("insert_line"))
            meant = f"/workspace/{path}"
            check_path(command, path, self.found(path), meant if meant in self.files else "")
            return self.run(command, path, args)
        except EditError as error:
            return f"ERROR:\n{error}", ""

    def run(self, command, path, args):
        if path == "/workspace":
            entries = ["d1/", *(name.removeprefix("/workspace/") for name in self.files)]
            return editor_texts.folder(path, entries, hidden=0), ""
        if path.endswith("nodir/zz/e2.txt"):
            reason = f"[Errno 2] No such file or directory: '{path}'"
            raise editor_texts.failed_to("write to", path, reason)
        check_file(path, self.found(path))
        text = self.files.get(path)
        if command == "view":
            return editor.view(path, text, args.get("view_range")), ""
        edit = {
            "create": lambda: editor.create(path, args.get("file_text")),
            "str_replace": lambda: editor.str_replace(
                path, text, args.get("old_str"), args.get("new_str")
            ),
            "insert": lambda: editor.insert(
                path, text, args.get("insert_line"), args.get("new_str")
            ),
            "undo_edit": lambda: editor.undo(path, text, self.history),
        }[command]()
        self.files[path] = edit.text
        if command != "undo_edit":
            self.history.push(path, edit.before)
        return edit.content, edit.diff


@pytest.fixture(scope="module")
def world():
    return World()


@pytest.mark.parametrize(
    "exchange", EXCHANGES, ids=lambda one: f"{one['args'].get('command')} {one['args']['path']}"
)
def test_an_agent_is_told_what_it_is_used_to(world, exchange):
    assert world.do(**exchange["args"]) == (exchange["content"], exchange["diff"])
