"""Every error that Sandbook raises on purpose."""

from typing import ClassVar


class SandboxError(Exception):
    """Root of the tree. `code` is a stable slug; the message tells a person what to do next."""

    code: ClassVar[str] = "sandbox-error"


class InvalidActionError(SandboxError):
    """What was asked for cannot be understood, so nothing was done."""

    code = "invalid-action"


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


class SandboxNotFoundError(SandboxError):
    """No sandbox has this id: it never started, or it is gone."""

    code = "sandbox-not-found"

    def __init__(self, sandbox_id: str) -> None:
        super().__init__(f"No sandbox {sandbox_id!r}. Run any cell to start it.")
        self.sandbox_id = sandbox_id


class FileError(SandboxError):
    """Something about a file of the sandbox."""

    code = "file-error"


class PathNotFoundError(FileError):
    """The sandbox has no such path."""

    code = "path-not-found"

    def __init__(self, path: str) -> None:
        super().__init__(f"The sandbox has no {path!r}.")
        self.path = path


class OutOfMemoryError(SandboxError):
    """A process of the sandbox was ended because the sandbox had used up its memory."""

    code = "out-of-memory"

    def __init__(self, memory_mb: int | None) -> None:
        limit = f"its {memory_mb} MiB" if memory_mb else "its share"
        super().__init__(
            f"The sandbox used up {limit} of memory, so a process was ended. Use less, or give it "
            "more: set c.DockerBackend.memory_mb, then restart the kernel."
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

    def __init__(self, reason: str = "the shell ended") -> None:
        super().__init__(f"Lost the shell: {reason}. The next cell starts a new one.")
        self.reason = reason


class ConfigurationError(SandboxError):
    """A setting, or a file of settings, cannot be taken as it is."""

    code = "invalid-configuration"

    def __init__(self, place: str, reason: object) -> None:
        sentence = " ".join(str(reason).split()).rstrip(".")
        super().__init__(f"Wrong configuration in {place}: {sentence}. Correct it and start again.")
        self.place = place
