"""Hands a long command over to bash."""

from sandbook.errors import SessionLostError
from sandbook.sandbox.base import Sandbox
from sandbook.session.framing import COUNT


async def through_file(
    sandbox: Sandbox, directory: str, source: bytes, *, root: bool
) -> tuple[bytes, bytes]:
    """Store a command in a file; give back the lines that load it, and the word that names it.

    Raises:
        SessionLostError: It cannot be stored, since the sandbox is full or gone.
    """
    path = f"{directory}/code"
    store = ("bash", "-c", 'cat >"$1"', "sandbook", path)
    stored = await sandbox.run(*store, data=source, root=root)
    if stored.exit_code:
        reason = stored.errors.decode("utf-8", "replace").strip()
        raise SessionLostError(f"could not hand over the command ({reason})")
    load = f"\\builtin mapfile -d '' -t __sandbook_code <{path}\n"
    return load.encode() + COUNT, b'"${__sandbook_code[0]}"'
