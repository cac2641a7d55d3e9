"""The Jupyter Server extension: sandboxes over HTTP, for browsers and agents."""

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from sandbook_server.app import SandbookApp  # noqa: PLC0415 -- whoever starts kernels needs less

    return [{"module": "sandbook_server", "app": SandbookApp}]
