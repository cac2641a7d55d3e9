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

    def __init__(self, image: str) -> None:
        super().__init__(
            f"The engine has no image {image!r}. Build the default one with scripts/build-image, "
            f"or fetch it with: docker pull {image}"
        )
        self.image = image


class SandboxStartError(SandboxError):
    """The backend works, but this sandbox did not come up."""

    code = "sandbox-start-failed"


class SandboxNotFoundError(SandboxError):
    """No sandbox has this id: it never started, or it is gone."""

    code = "sandbox-not-found"

    def __init__(self, sandbox_id: str) -> None:
        super().__init__(f"No sandbox {sandbox_id!r}. Run any cell to start it.")
        self.sandbox_id = sandbox_id


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
