"""What other packages of a Jupyter server take from the folder that it was started in.

That folder is shared with sandboxes as soon as a notebook lies in it. nbconvert looks there for
templates, which are programs, and jupyter_lsp for language servers. Whoever keeps such things there
can say so by the settings of these packages.
"""

from pathlib import Path
from typing import Any

from traitlets.config import Config


def take_no_templates(config: Config) -> None:
    """Let nbconvert find templates where they are installed only; JupyterLab asks for them."""
    config.TemplateExporter.setdefault("extra_template_basedirs", [])


def take_no_language_servers(manager: Any) -> None:
    """Let jupyter_lsp start no program from a folder `node_modules` in the current folder."""
    if manager is not None and "node_roots" not in manager.config.get("LanguageServerManager", {}):
        here = Path.cwd()
        manager.node_roots = [root for root in manager.node_roots if Path(root) != here]
