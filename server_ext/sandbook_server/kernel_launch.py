"""How kernels are started in a folder that a sandbox may write to, and who may listen to them.

Our kernelspec names the class below, so programs without this server start our kernels so, too. The
server starts kernels of all languages so.
"""

import os
from pathlib import Path
from typing import Any

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from tornado.web import HTTPError

from sandbook.safe_path import safe_command, safe_environment
from sandbook_server.private_sockets import PrivateSockets
from sandbook_server.real_paths import is_inside, real_path

NAME = "sandbook-safe-provisioner"
"""Under which pyproject.toml registers the class below with jupyter_client; see kernel.json."""
LEADS_OUT = (
    "No kernel is started here: the folder is reached through a link that leads out of this "
    "server's folder. Open the notebook where it really is, or allow it: "
    "SandbookApp.follow_links = True."
)


class SafeProvisioner(LocalProvisioner):
    """Starts Python kernels so that they import nothing from the notebook's folder on the way.

    Later they do: IPython itself looks into that folder for what a person imports. Kernels of ours
    are reached by sockets that no other user can connect to.
    """

    follow_links = False
    """Of the server as a whole: jupyter_client makes the instances, from nothing but a name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._sockets = PrivateSockets()

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Choose the sockets, change the command, and check the folder."""
        try:
            self._sockets.use(self.parent)
            return self._prepared(await super().pre_launch(**kwargs))
        except BaseException:
            self._sockets.remove()
            raise

    async def cleanup(self, restart: bool = False) -> None:  # noqa: FBT001, FBT002 -- jupyter_client's
        """Remove what the kernel has left."""
        await super().cleanup(restart=restart)
        if not restart:
            self._sockets.remove()

    def _prepared(self, prepared: dict[str, Any]) -> dict[str, Any]:
        prepared["cmd"] = safe_command(prepared["cmd"])
        if prepared.get("env") is not None:
            prepared["env"] = safe_environment(prepared["env"])
        root = getattr(getattr(self.parent, "parent", None), "root_dir", "")
        if root and prepared.get("cwd") and not SafeProvisioner.follow_links:
            prepared["cwd"] = _checked(prepared["cwd"], root)
        return prepared


def _checked(folder: str, root: str) -> str:
    """Give the folder without links, if it is below the root by its name and in fact.

    One that is not below it by its name was chosen by the server itself, not by a path in a URL.
    """
    by_name = Path(os.path.abspath(folder))  # noqa: PTH100 -- follows no link
    if by_name.is_relative_to(os.path.abspath(root)) and not is_inside(folder, root):  # noqa: PTH100
        raise HTTPError(403, LEADS_OUT)
    return str(real_path(folder))


def protect_kernels(*, follow_links: bool) -> None:
    """Start kernels so, unless the person has chosen a provisioner for them."""
    SafeProvisioner.follow_links = follow_links
    factory = KernelProvisionerFactory.instance()
    if factory.default_provisioner_name == "local-provisioner":
        factory.default_provisioner_name = NAME


def unprotect_kernels() -> None:
    """Leave everything as it was."""
    factory = KernelProvisionerFactory.instance()
    if factory.default_provisioner_name == NAME:
        factory.default_provisioner_name = "local-provisioner"
