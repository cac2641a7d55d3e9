"""What a container is made of: a request and settings in, the engine's JSON out. Pure."""

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Any

from sandbook.sandbox.base import DIRECTORY, WORKSPACE, Limits, SandboxInfo, SandboxRequest
from sandbook.sandbox.scripts import keeper_argv

CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"]
"""What package managers need as root in the sandbox; everything else is dropped."""
STATES = {"created": "starting", "restarting": "starting", "running": "running", "paused": "paused"}
MIB = 1 << 20
NAME = "sandbook-"
KEPT_LABEL = {"sandbook.lifetime": "keep"}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything about a new container that does not come from its owner."""

    image: str
    limits: Limits
    user: tuple[int, int]
    network: str
    seccomp: str
    tmp_mb: int
    shm_mb: int
    volume: bool = False
    """The workspace is a volume of the engine, which cannot see the files of this machine."""
    keep: bool = False
    """The container stays when it ends, for the same notebook to start it again."""
    max_life_s: int = 0
    disk_mb: int = 0
    read_only_root: bool = False
    runtime: str = ""
    gpus: str = ""
    mounts: list[str] = field(default_factory=list[str])
    environment: dict[str, str] = field(default_factory=dict[str, str])


def container_name(sandbox_id: str) -> str:
    """Name the container of a sandbox, and its volume if it has one."""
    return f"{NAME}{sandbox_id}"


def container_body(request: SandboxRequest, settings: Settings) -> dict[str, Any]:
    """Describe the container to the engine."""
    uid, gid = settings.user
    keeper = keeper_argv(DIRECTORY, life=settings.max_life_s, uid=uid, gid=gid)
    return {
        "Image": settings.image,
        "Entrypoint": keeper,
        "Cmd": [],
        "User": "0:0",
        "Hostname": "sandbox",
        "WorkingDir": WORKSPACE,
        "Env": [f"{name}={value}" for name, value in settings.environment.items()],
        "Labels": _labels(request, settings),
        "HostConfig": _host_config(request, settings),
    }


def _labels(request: SandboxRequest, settings: Settings) -> dict[str, str]:
    return {
        "sandbook.sandbox": request.sandbox_id,
        "sandbook.user": str(settings.user[0]),
        "sandbook.notebook": request.notebook,
        "sandbook.workspace": str(request.workspace),
        "sandbook.limits": json.dumps(asdict(settings.limits)),
        "sandbook.max_life_s": str(settings.max_life_s),
        **(KEPT_LABEL if settings.keep else {}),
    }


def _host_config(request: SandboxRequest, settings: Settings) -> dict[str, Any]:
    memory = (settings.limits.memory_mb or 0) * MIB
    workspace = container_name(request.sandbox_id) if settings.volume else str(request.workspace)
    tmpfs = {"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={settings.tmp_mb}m"}  # noqa: S108
    if settings.read_only_root:
        tmpfs["/run"] = "rw,nosuid,nodev,mode=755,size=16m"
    config: dict[str, Any] = {
        "AutoRemove": not settings.keep,
        "Binds": [f"{workspace}:{WORKSPACE}", *settings.mounts],
        "CapAdd": CAPABILITIES,
        "CapDrop": ["ALL"],
        "Init": True,
        "Memory": memory,
        "MemorySwap": memory,
        "NanoCpus": int((settings.limits.cpus or 0) * 1e9),
        "NetworkMode": settings.network,
        "PidsLimit": settings.limits.pids,
        "ReadonlyRootfs": settings.read_only_root,
        "SecurityOpt": ["no-new-privileges", *_seccomp(settings.seccomp)],
        "ShmSize": settings.shm_mb * MIB,
        "Tmpfs": tmpfs,
    }
    if settings.disk_mb:
        config["StorageOpt"] = {"size": f"{settings.disk_mb}m"}
    if settings.runtime:
        config["Runtime"] = settings.runtime
    if settings.gpus:
        config["DeviceRequests"] = [_gpu_request(settings.gpus)]
    return config


def _seccomp(profile: str) -> list[str]:
    return [f"seccomp={profile}"] if profile else []


def _gpu_request(gpus: str) -> dict[str, Any]:
    chosen = {"Count": -1} if gpus == "all" else {"DeviceIDs": gpus.split(",")}
    return {"Driver": "", "Capabilities": [["gpu"]], **chosen}


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
        limits=Limits(**json.loads(labels.get("sandbook.limits", "{}"))),
        max_life_s=int(labels.get("sandbook.max_life_s", "0")),
    )
