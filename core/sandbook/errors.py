"""Every error that Sandbook raises on purpose."""

from typing import ClassVar


class SandboxError(Exception):
    """Root of the tree. `code` is a stable slug; the message tells a person what to do next."""

    code: ClassVar[str] = "sandbox-error"


class InvalidActionError(SandboxError):
    """What was asked for cannot be understood, so nothing was done."""

    code = "invalid-action"


class InvalidRequestError(SandboxError):
    """A request with arguments that cannot be, so nothing was done."""

    code = "invalid-request"


class IncompleteCommandError(SandboxError):
    """The command stops in the middle of something, so nothing was run."""

    code = "incomplete-command"

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}. Nothing was run.")
        self.line = line
        self.reason = reason


class BackendUnavailableError(SandboxError):
    """The backend that was asked for does not work on this machine."""

    code = "backend-unavailable"

    def __init__(self, backend: str, message: str) -> None:
        super().__init__(message)
        self.backend = backend


class ImageNotFoundError(SandboxError):
    """The engine has no such image."""

    code = "image-not-found"

    def __init__(self, image: str, reason: str = "") -> None:
        why = f", and it could not be pulled: {reason.rstrip('.')}" if reason else ""
        super().__init__(
            f"The engine has no image {image!r}{why}. Check its name and the network, then fetch "
            f"it with: docker pull {image} (the default one is built with: sandbook image build)"
        )
        self.image = image
        self.reason = reason


class SandboxStartError(SandboxError):
    """The backend works, but this sandbox did not come up."""

    code = "sandbox-start-failed"


class RootRefusedError(SandboxError):
    """The sandbox has no root for this, and nobody else is taken instead."""

    code = "root-refused"

    def __init__(self, backend: str) -> None:
        super().__init__(
            f"A sandbox of the {backend} backend has no root here, so nothing was run. Leave "
            "--root out (agents: c.AgentPolicy.as_root = False), or set SANDBOOK_BACKEND=docker."
        )
        self.backend = backend


class SandboxNotFoundError(SandboxError):
    """No sandbox has this id: it never started, or it is gone."""

    code = "sandbox-not-found"

    def __init__(self, sandbox_id: str) -> None:
        super().__init__(f"No sandbox {sandbox_id!r}. Run any cell to start it.")
        self.sandbox_id = sandbox_id


class SandboxPausedError(SandboxError):
    """The sandbox stands still, so nobody in it can answer."""

    code = "sandbox-paused"

    def __init__(self, sandbox_id: str) -> None:
        super().__init__(
            f"The sandbox {sandbox_id!r} is paused. Resume it, or run a cell of its notebook."
        )
        self.sandbox_id = sandbox_id


class FileError(SandboxError):
    """Something about a file of the sandbox."""

    code = "file-error"


class EditError(FileError):
    """An edit that was not done; the message is what agents are used to read."""

    code = "edit-refused"


class PathNotFoundError(FileError):
    """The sandbox has no such path."""

    code = "path-not-found"

    def __init__(self, path: str) -> None:
        super().__init__(f"The sandbox has no {path!r}.")
        self.path = path


class LogNotFoundError(SandboxError):
    """No log of the output of this cell is kept."""

    code = "log-not-found"

    def __init__(self, number: str) -> None:
        super().__init__(
            f"No log of cell {number} is kept. Logs make room for newer ones, and go after "
            "c.OutputPolicy.logs_kept_days; run the cell again."
        )


class OutOfMemoryError(SandboxError):
    """A process of the sandbox was ended because the sandbox had used up its memory."""

    code = "out-of-memory"

    def __init__(self, memory_mb: int | None, setting: str = "DockerBackend.memory_mb") -> None:
        limit = f"its {memory_mb} MiB" if memory_mb else "its share"
        super().__init__(
            f"The sandbox used up {limit} of memory, so a process was ended. Use less, or give it "
            f"more: set c.{setting}, then restart the kernel."
        )
        self.memory_mb = memory_mb


class SessionError(SandboxError):
    """Something about the shell."""

    code = "session-error"


class SessionBusyError(SessionError):
    """The shell still runs an earlier command."""

    code = "session-busy"

    def __init__(self) -> None:
        super().__init__("The shell is still busy. Wait for it, or interrupt the kernel.")


class SessionLostError(SessionError):
    """The shell, or the sandbox around it, is gone."""

    code = "session-lost"

    def __init__(self, reason: str = "") -> None:
        why = reason or "the shell ended"
        super().__init__(f"Lost the shell: {why}. The next cell starts a new one.")
        self.is_known = bool(reason)
        """Whether anybody knows why; else the backend may find out."""


class ConfigurationError(SandboxError):
    """A setting, or a file of settings, cannot be taken as it is."""

    code = "invalid-configuration"

    def __init__(self, place: str, reason: object) -> None:
        sentence = " ".join(str(reason).split()).rstrip(".")
        super().__init__(f"Wrong configuration in {place}: {sentence}. Correct it and start again.")
        self.place = place


class AgentsRefusedError(BackendUnavailableError):
    """The backend isolates nothing, so no agent may use it before a person has said so."""

    code = "agents-refused"

    def __init__(self, backend: str) -> None:
        super().__init__(
            backend,
            f"The {backend} backend isolates nothing, so an agent could do to this machine all "
            "that you can. Use docker or bubblewrap for agents, or allow it: "
            "set c.LocalBackend.allow_agents = True, then restart the kernel.",
        )


class IsAFolderError(FileError):
    """A file was expected, and there is a folder."""

    code = "is-a-folder"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is a folder. Name a file in it.")
        self.path = path


class NotAFolderError(FileError):
    """A folder was expected, and there is something else."""

    code = "not-a-folder"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is not a folder, or part of it is not. Name a folder.")
        self.path = path


class NotAFileError(FileError):
    """Neither a file nor a folder: reading it might never end."""

    code = "not-a-file"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is a pipe, a socket or a device; only ordinary files are read.")
        self.path = path


class PermissionDeniedError(FileError):
    """The user of the sandbox may not do that."""

    code = "permission-denied"

    def __init__(self, path: str) -> None:
        super().__init__(f"No permission for {path!r}. Change its mode, or do it as root.")
        self.path = path


class AlreadyExistsError(FileError):
    """Something is there already, and was not to be replaced."""

    code = "already-exists"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is there already. Choose another name, or remove it first.")
        self.path = path


class TooLargeError(FileError):
    """More bytes than somebody is ready to take."""

    code = "too-large"

    def __init__(self, path: str, limit: int) -> None:
        super().__init__(f"{path!r} is larger than {limit} bytes, the most that is taken here.")
        self.path = path


class DiskFullError(FileError):
    """The sandbox has no room left, so nothing was changed."""

    code = "disk-full"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"No room for {path!r}: the disk of the sandbox is full. Remove something; nothing was "
            "changed."
        )
        self.path = path


class FileChangedError(FileError):
    """A file became shorter while it was read."""

    code = "file-changed"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} became shorter while it was read. Try again.")
        self.path = path


class SideLostError(FileError):
    """The program that works on files inside the sandbox is gone."""

    code = "side-lost"

    def __init__(self) -> None:
        super().__init__("Lost the sandbox in the middle of a file. Run any cell, then try again.")


class ArchiveError(FileError):
    """An archive that is broken, or that nobody should unpack; nothing was."""

    code = "archive-refused"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The archive was refused: {reason}. Nothing was unpacked.")
        self.reason = reason
