"""Whether an agent has sent one command, or several. Pure."""

from sandbook.session.syntax import LARGE, parse


def separate_commands(code: str) -> list[str]:
    """Take code apart where a new line begins a new command.

    What the grammar does not understand is one command: bash will say what is wrong. So is what
    is too long for it.
    """
    if len(code) > LARGE:
        return [code]
    source = code.encode("utf-8", "surrogateescape")
    root = parse(source)
    if root.has_error:
        return [code]
    commands: list[tuple[int, int]] = []
    ended = 0
    for node in root.children:
        if node.type == "comment":
            continue
        is_same_line = b"\n" not in source[ended : node.start_byte]
        if commands and (not node.is_named or is_same_line):
            commands[-1] = (commands[-1][0], node.end_byte)
        elif node.is_named:
            commands.append((node.start_byte, node.end_byte))
        # Some have their last line end in them. No points: those of tree-sitter 0.26.0 crash.
        ended = node.end_byte - source.endswith(b"\n", 0, node.end_byte)
    return [source[start:end].decode("utf-8", "surrogateescape") for start, end in commands]
