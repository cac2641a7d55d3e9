"""What a container is made of: a request and settings in, the engine's JSON out. Pure."""

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Any

from sandbook.sandbox.base import DIRECTORY, WORKSPACE, SandboxInfo, SandboxRequest
from sandbook.sandbox.identity import Identity
from sandbook.sandbox.limits import Limits
from sandbook.sandbox.protection import Protection
from sandbook.sandbox.scripts import container_argv

CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]
"""What package managers need as root in the sandbox; everything else is dropped."""
STATES = {"created": "starting", "restarting": "starting", "running": "running", "paused": "paused"}
MIB = 1 << 20
LOG_SIZE = "1m"
"""Root in a container can write to its log, which is a file of the engine's machine."""
NAME = "sandbook-"
KEPT_LABEL = {"sandbook.lifetime": "keep"}
REALM_LABEL = "sandbook.realm"
PROTECTION_LABEL = "sandbook.protection"
VOLUME_LABEL = "sandbook.volume"
"""Tells the sandbox that a volume was made for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything about a new container that does not come from its owner."""

    image: str
    limits: Limits
    owner: int
    """The user of this machine who has the container, and sees it in lists."""
    realm: str
    """The realm of the process that makes the container, which alone lists it."""
    identity: Identity
    network: str
    seccomp: str
    open_files: int
    tmp_mb: int
    shm_mb: int
    sudo: bool = False
    """Its user may become root in it, so programs may gain privileges."""
    volume: bool = False
    """The workspace is a volume of the engine, which cannot see the files of this machine."""
    volume_name: str = ""
    """The volume of the sandbox that this one replaces; empty makes a new one."""
    volume_labels: dict[str, str] = field(default_factory=dict[str, str])
    keep: bool = False
    """The container stays when it ends, for the same notebook to start it again."""
    max_life_s: int = 0
    disk_mb: int = 0
    read_only_root: bool = False
    runtime: str = ""
    gpus: str = ""
    mounts: list[str] = field(default_factory=list[str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    protection: Protection = field(default_factory=Protection)
    numbers: dict[str, str] = field(default_factory=dict[str, str])
    """Device and inode that the workspace, and the mounts in it, must have."""


def container_name(sandbox_id: str) -> str:
    """Name the container of a sandbox, and its volume if it has one."""
    return f"{NAME}{sandbox_id}"


def container_body(request: SandboxRequest, settings: Settings) -> dict[str, Any]:
    """Describe the container to the engine."""
    first = container_argv(DIRECTORY, life=settings.max_life_s, **_user_options(settings))
    first += [f"same={one}:{WORKSPACE}/{path}" for path, one in settings.numbers.items()]
    return {
        "Image": settings.image,
        "Entrypoint": first,
        "Cmd": [],
        "User": "0:0",
        "Hostname": "sandbox",
        "WorkingDir": WORKSPACE,
        "Env": [f"{name}={value}" for name, value in settings.environment.items()],
        "Labels": _labels(request, settings),
        "HostConfig": _host_config(request, settings),
    }


def _user_options(settings: Settings) -> dict[str, int | str]:
    """Tell the keeper who the user is, and what has to become his."""
    identity = settings.identity
    options: dict[str, int | str] = {"uid": identity.uid, "gid": identity.gid, "apt": "yes"}
    if identity.name:
        options["name"] = identity.name
    if settings.sudo:
        options["sudo"] = "yes"
    if settings.volume or (identity.name and settings.owner != identity.uid):
        options["own"] = WORKSPACE
    return options


def _labels(request: SandboxRequest, settings: Settings) -> dict[str, str]:
    return {
        "sandbook.sandbox": request.sandbox_id,
        "sandbook.user": str(settings.owner),
        REALM_LABEL: settings.realm,
        "sandbook.runs_as": settings.identity.name,
        "sandbook.sudo": "yes" if settings.sudo else "",
        "sandbook.notebook": request.notebook,
        "sandbook.workspace": str(request.workspace),
        "sandbook.limits": json.dumps(settings.limits.to_json()),
        "sandbook.max_life_s": str(settings.max_life_s),
        PROTECTION_LABEL: json.dumps(asdict(settings.protection)),
        **(KEPT_LABEL if settings.keep else {}),
    }


def _host_config(request: SandboxRequest, settings: Settings) -> dict[str, Any]:
    memory = (settings.limits.memory_mb or 0) * MIB
    tmpfs = {"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={settings.tmp_mb}m"}  # noqa: S108
    if settings.read_only_root:
        tmpfs["/run"] = "rw,nosuid,nodev,mode=755,size=8m"
    config: dict[str, Any] = {
        "AutoRemove": not settings.keep,
        "Binds": list(settings.mounts),
        "CapAdd": CAPABILITIES,
        "CapDrop": ["ALL"],
        "Init": True,
        "LogConfig": {"Type": "json-file", "Config": {"max-size": LOG_SIZE}},
        "Memory": memory,
        "MemorySwap": memory,
        "Mounts": [_workspace(request, settings), *_protected(request, settings.protection)],
        "NanoCpus": int((settings.limits.cpus or 0) * 1e9),
        "NetworkMode": settings.network,
        "PidsLimit": settings.limits.pids,
        "ReadonlyRootfs": settings.read_only_root,
        "SecurityOpt": [*_privileges(sudo=settings.sudo), *_seccomp(settings.seccomp)],
        "ShmSize": settings.shm_mb * MIB,
        "Tmpfs": tmpfs,
        "Ulimits": [_ulimit("core", 0), _ulimit("nofile", settings.open_files)],
    }
    if settings.disk_mb:
        config["StorageOpt"] = {"size": f"{settings.disk_mb}m"}
    if settings.runtime:
        config["Runtime"] = settings.runtime
    if settings.gpus:
        config["DeviceRequests"] = [_gpu_request(settings.gpus)]
    return config


def _workspace(request: SandboxRequest, settings: Settings) -> dict[str, Any]:
    """Describe the mount word by word: the name of a folder may have a colon in it."""
    if not settings.volume:
        return {"Type": "bind", "Source": str(request.workspace), "Target": WORKSPACE}
    labels = {VOLUME_LABEL: request.sandbox_id, **settings.volume_labels}
    return {
        "Type": "volume",
        "Source": settings.volume_name or container_name(request.sandbox_id),
        "Target": WORKSPACE,
        "VolumeOptions": {"Labels": labels},
    }


def _protected(request: SandboxRequest, protection: Protection) -> list[dict[str, Any]]:
    """Describe the mounts over parts of the workspace: a mount point cannot be renamed."""
    return [
        {
            "Type": "bind",
            "Source": str(request.workspace / path),
            "Target": f"{WORKSPACE}/{path}",
            "ReadOnly": path in protection.read_only,
        }
        for path in (*protection.held, *protection.read_only)
    ]


def _ulimit(name: str, value: int) -> dict[str, Any]:
    return {"Name": name, "Soft": value, "Hard": value}


def _privileges(*, sudo: bool) -> list[str]:
    return [] if sudo else ["no-new-privileges"]


def _seccomp(profile: str) -> list[str]:
    return [f"seccomp={profile}"] if profile else []


def _gpu_request(gpus: str) -> dict[str, Any]:
    chosen = {"Count": -1} if gpus == "all" else {"DeviceIDs": gpus.split(",")}
    return {"Driver": "", "Capabilities": [["gpu"]], **chosen}


def is_of_realm(row: dict[str, Any], realm: str) -> bool:
    """Say whether a row of the engine's list is of this realm; older containers name none."""
    labels: dict[str, str] = row["Labels"] or {}
    return labels.get(REALM_LABEL, "") == realm


def info_from(row: dict[str, Any]) -> SandboxInfo:
    """Read one row of the engine's list of containers."""
    labels: dict[str, str] = row["Labels"]
    return SandboxInfo(
        sandbox_id=row["Names"][0].removeprefix(f"/{NAME}"),  # its label may tell an earlier owner
        backend="docker",
        isolation="container",
        state=STATES.get(row["State"], "exited"),
        started_at=datetime.fromtimestamp(row["Created"], timezone.utc),
        image=row["Image"],
        notebook=labels.get("sandbook.notebook", ""),
        workspace=labels.get("sandbook.workspace", ""),
        limits=Limits.from_json(json.loads(labels.get("sandbook.limits", "{}"))),
        max_life_s=int(labels.get("sandbook.max_life_s", "0")),
        user=labels.get("sandbook.runs_as", ""),
        sudo=bool(labels.get("sandbook.sudo")),
        protection=Protection.from_json(json.loads(labels.get(PROTECTION_LABEL, "{}"))),
        kept=KEPT_LABEL.items() <= labels.items(),
    )
