"""The Jupyter Server extension: sandboxes over HTTP, for browsers and agents."""

from typing import Any

from sandbook_server.app import SandbookApp


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": "sandbook_server", "app": SandbookApp}]
