"""All our URLs. `rest-api.yml` says what each of them takes and answers."""

from typing import Any

from jupyter_server.base.handlers import path_regex

from sandbook_server.handlers.alive import AliveHandler, ServerInfoHandler
from sandbook_server.handlers.contents import CheckpointsHandler, SandboxContentsHandler
from sandbook_server.handlers.download_files import DownloadFilesHandler
from sandbook_server.handlers.execute_action import ExecuteActionHandler
from sandbook_server.handlers.execute_action_stream import ExecuteActionStreamHandler
from sandbook_server.handlers.files import FilesHandler
from sandbook_server.handlers.list_files import ListFilesHandler
from sandbook_server.handlers.log import LogHandler
from sandbook_server.handlers.mcp_servers import McpServersHandler
from sandbook_server.handlers.openhands import UnknownPathHandler
from sandbook_server.handlers.sandboxes import (
    SandboxesHandler,
    SandboxHandler,
    SandboxPauseHandler,
)
from sandbook_server.handlers.trajectory import TrajectoryHandler
from sandbook_server.handlers.transfers import TransfersHandler
from sandbook_server.handlers.upload_file import UploadFileHandler
from sandbook_server.handlers.view import ViewHandler
from sandbook_server.handlers.vscode import VSCodeTokenHandler

_SANDBOX = r"/sandbook/(?P<kernel_id>[^/]+)"
_CONTENTS = rf"{_SANDBOX}/contents{path_regex}"

ROUTES: list[tuple[str, Any]] = [
    (r"/sandbook/sandboxes", SandboxesHandler),
    (r"/sandbook/sandboxes/(?P<kernel_id>[^/]+)", SandboxHandler),
    (r"/sandbook/sandboxes/(?P<kernel_id>[^/]+)/(?P<what>pause|resume)", SandboxPauseHandler),
    (rf"{_SANDBOX}/alive", AliveHandler),
    (rf"{_SANDBOX}/server_info", ServerInfoHandler),
    (rf"{_SANDBOX}/execute_action", ExecuteActionHandler),
    (rf"{_SANDBOX}/execute_action_stream", ExecuteActionStreamHandler),
    (rf"{_SANDBOX}/update_mcp_server", McpServersHandler),
    (rf"{_SANDBOX}/vscode/connection_token", VSCodeTokenHandler),
    (rf"{_SANDBOX}/list_files", ListFilesHandler),
    (rf"{_SANDBOX}/upload_file", UploadFileHandler),
    (rf"{_SANDBOX}/download_files", DownloadFilesHandler),
    (rf"{_SANDBOX}/transfers", TransfersHandler),
    (rf"{_SANDBOX}/trajectory\.ipynb", TrajectoryHandler),
    (rf"{_SANDBOX}/logs/(?P<number>\d{{1,9}})", LogHandler),
    (rf"{_SANDBOX}/view", ViewHandler),
    (rf"{_SANDBOX}/files/(?P<path>.+)", FilesHandler),
    (rf"{_CONTENTS}/checkpoints", CheckpointsHandler),
    (rf"{_CONTENTS}/checkpoints/(?P<checkpoint_id>[\w-]+)", CheckpointsHandler),
    (_CONTENTS, SandboxContentsHandler),
    (rf"{_SANDBOX}(?:/.*)?", UnknownPathHandler),
]
