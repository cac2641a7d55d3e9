"""Which classes have settings: these are checked, travel to kernels and stand in docs/config.md."""

from traitlets.config import Configurable

from sandbook.sandbox.base import Backend
from sandbook.sandbox.factory import SandboxFactory

CONFIGURABLES: tuple[type[Configurable], ...] = (
    SandboxFactory,
    Backend,
    *SandboxFactory.backend_classes.values(),
)
