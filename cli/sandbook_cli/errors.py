"""What only the command line can do wrong."""

from sandbook.errors import SandboxError


class CommandError(SandboxError):
    """The command cannot be carried out as it was given."""

    code = "command-error"
