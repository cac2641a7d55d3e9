"""What comes from outside: our environment variables, read here and nowhere else."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from traitlets.config import Config

TRAIT_OF_VARIABLE = {
    "SANDBOOK_BACKEND": ("SandboxFactory", "backend"),
    "SANDBOOK_IMAGE": ("DockerBackend", "image"),
}


def config_from_environment(environment: Mapping[str, str]) -> Config:
    """Turn our variables into the configuration of the classes they belong to."""
    config = Config()
    for variable, (owner, trait) in TRAIT_OF_VARIABLE.items():
        if value := environment.get(variable):
            config[owner][trait] = value
    return config


def runtime_directory() -> Path:
    """Name the folder where processes of this user tell each other about their sandboxes."""
    return Path(tempfile.gettempdir()) / f"sandbook-{os.getuid()}"
