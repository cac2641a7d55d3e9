"""Jupyter's folders of kernels, as far as they are ours."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

from sandbook.config import CONFIG_VARIABLE, SPEC_VARIABLE
from sandbook.settings import BACKEND, IMAGE
from sandbook_cli.errors import CommandError

MAIN_SPEC = "sandbook"
MODULE = "sandbook_kernel"


@dataclass(frozen=True, slots=True)
class Installation:
    """A kernel that is to be installed; without a prefix it is for this user."""

    name: str
    display_name: str
    variables: Mapping[str, str]
    prefix: Path | None = None


def install(installation: Installation) -> str:
    """Copy our own kernel under a new name, with other variables; give back its folder.

    Raises:
        CommandError: The name cannot be used, or the folder not be written.
    """
    if installation.name == MAIN_SPEC:
        raise CommandError(f"{MAIN_SPEC!r} is the kernel that comes with Sandbook. Choose another.")
    manager = KernelSpecManager()
    known = manager.get_all_specs().get(installation.name)
    if known and MODULE not in known["spec"]["argv"]:
        raise CommandError(f"{installation.name!r} is another kernel's name. Choose another.")
    with TemporaryDirectory() as draft:
        _write(Path(draft), _main_folder(manager), installation)
        try:
            return manager.install_kernel_spec(
                draft,
                installation.name,
                user=installation.prefix is None,
                prefix=str(installation.prefix) if installation.prefix else None,
            )
        except (ValueError, OSError) as error:
            raise CommandError(f"Could not install {installation.name!r}: {error}") from error


def _main_folder(manager: KernelSpecManager) -> Path:
    try:
        return Path(manager.get_kernel_spec(MAIN_SPEC).resource_dir)
    except NoSuchKernel as error:
        message = f"Jupyter does not find the kernel {MAIN_SPEC!r}: install Sandbook again."
        raise CommandError(message) from error


def _write(draft: Path, main: Path, installation: Installation) -> None:
    for logo in main.glob("logo-*"):
        shutil.copy(logo, draft)
    spec: dict[str, Any] = json.loads((main / "kernel.json").read_text("utf-8"))
    # Jupyter takes its own Python for a bare `python`, and may run in another environment.
    spec["argv"] = [sys.executable, *spec["argv"][1:]]
    spec["display_name"] = installation.display_name
    spec["env"] = {**spec.get("env", {}), **installation.variables}
    (draft / "kernel.json").write_text(json.dumps(spec, indent=2) + "\n", "utf-8")


def list_specs() -> list[dict[str, Any]]:
    """Tell about all kernels that are ours."""
    found: list[dict[str, Any]] = []
    for name, known in sorted(KernelSpecManager().get_all_specs().items()):
        spec = known["spec"]
        if MODULE in spec["argv"]:
            variables: dict[str, str] = spec.get("env", {})
            found.append(
                {
                    "name": name,
                    "display_name": spec["display_name"],
                    "backend": variables.get(BACKEND),
                    "image": variables.get(IMAGE),
                    "settings": variables.get(SPEC_VARIABLE) or variables.get(CONFIG_VARIABLE),
                    "folder": known["resource_dir"],
                }
            )
    return found


def remove(names: Sequence[str]) -> list[str]:
    """Remove kernels; give back their folders.

    Raises:
        CommandError: One of them is not ours, or came with the package. None is removed then.
    """
    ours = {spec["name"] for spec in list_specs()}
    for name in names:
        if name == MAIN_SPEC:
            raise CommandError(f"{MAIN_SPEC!r} comes with Sandbook: pip uninstall sandbook")
        if name not in ours:
            raise CommandError(f"No kernel {name!r} of Sandbook. See: sandbook kernelspec list")
    return [KernelSpecManager().remove_kernel_spec(name) for name in names]
