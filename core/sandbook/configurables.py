"""Which classes have settings: these are checked, travel to kernels and stand in docs/config.md."""

from traitlets.config import Configurable

from sandbook.agent_policy import AgentAccess, AgentPolicy
from sandbook.files.archive import ArchivePolicy
from sandbook.output import OutputPolicy
from sandbook.sandbox.base import Backend
from sandbook.sandbox.factory import SandboxFactory
from sandbook.trajectory.policy import TrajectoryPolicy

CONFIGURABLES: tuple[type[Configurable], ...] = (
    SandboxFactory,
    OutputPolicy,
    ArchivePolicy,
    AgentPolicy,
    TrajectoryPolicy,
    AgentAccess,
    Backend,
    *SandboxFactory.backend_classes.values(),
)
