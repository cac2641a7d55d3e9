"""Which folders of this machine a sandbox may see beside its workspace."""

from pathlib import Path

from sandbook.sandbox.address import DEFAULT_HOST, address_from_environment

SOCKETS = (
    DEFAULT_HOST.removeprefix("unix://"),
    *("/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock"),
)


def why_not_mounted(mount: str) -> str:
    """Say what is wrong with `SOURCE:TARGET`; nothing if it may be."""
    source, colon, target = mount.partition(":")
    if not colon or not source or not target.startswith("/"):
        return "want SOURCE:/TARGET or SOURCE:/TARGET:ro"
    if not source.startswith("/"):
        return ""  # a volume of the engine
    place = Path(source).resolve()
    if any(Path(socket).resolve().is_relative_to(place) for socket in _sockets()):
        return "it holds the engine's socket, which gives away the whole machine"
    return ""


def _sockets() -> tuple[str, ...]:
    try:
        host = address_from_environment().host
    except OSError:
        return SOCKETS
    return (*SOCKETS, host.removeprefix("unix://")) if host.startswith("unix://") else SOCKETS
