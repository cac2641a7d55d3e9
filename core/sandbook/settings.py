"""Settings for one sandbox, written as the variables that its kernel reads."""

import json
from collections.abc import Mapping
from typing import Any

from traitlets import TraitError
from traitlets.config import Configurable

from sandbook.agent_policy import AgentPolicy
from sandbook.config import SPEC_VARIABLE
from sandbook.errors import InvalidRequestError
from sandbook.sandbox.factory import SandboxFactory

BACKEND, IMAGE = "SANDBOOK_BACKEND", "SANDBOOK_IMAGE"


def variables_from(backend: str | None, settings: Mapping[str, Any]) -> dict[str, str]:
    """Write settings as the variables that a kernel reads; `None` is not set.

    Raises:
        InvalidRequestError: The backend has no such setting, or not with this value.
    """
    chosen = dict(SandboxFactory.backend_classes)
    if backend and backend != "auto":
        if backend not in chosen:
            raise InvalidRequestError(f"No backend {backend!r}; there are {', '.join(chosen)}.")
        chosen = {backend: chosen[backend]}
    config: dict[str, dict[str, Any]] = {}
    for trait, value in settings.items():
        if value is not None:
            for owner in _takers(chosen, trait, value):
                config.setdefault(owner, {})[trait] = value
    image = config.get("DockerBackend", {}).pop("image", None)
    config = {owner: section for owner, section in config.items() if section}
    settings_text = json.dumps(config) if config else None
    written = {BACKEND: backend, IMAGE: image, SPEC_VARIABLE: settings_text}
    return {name: value for name, value in written.items() if value}


def _takers(chosen: Mapping[str, type[Configurable]], trait: str, value: Any) -> list[str]:
    """Name the classes that take this value for this setting; there must be one."""
    reasons: list[str] = []
    takers: list[str] = []
    for owner in (*chosen.values(), AgentPolicy):
        if trait in owner.class_trait_names(config=True):
            try:
                owner(**{trait: value})
                takers.append(owner.__name__)
            except TraitError as error:
                reasons.append(str(error))
    if not takers:
        names = " or ".join(chosen)
        none = f"The backend {names} has no setting {trait!r}."
        raise InvalidRequestError(f"{reasons[0].rstrip('.')}." if reasons else none)
    return takers
