"""Edits of files that are there, and of those that are to be."""

import pytest

from sandbook.files.editing import FileEditor
from sandbook.files.history import History
from tests.core.files.conftest import PLAIN

pytestmark = pytest.mark.parametrize(
    "shared_sandbox", ["bubblewrap", PLAIN], indirect=True, scope="module"
)


async def test_a_link_to_nothing_yet_is_written_through(files, machine):
    await machine.bash("ln -s later link")

    written = await FileEditor(files, History()).write("link", "x\n")

    assert written.what == "created"
    assert await machine.bash("readlink link; cat later") == b"later\nx\n"
