"""What comes from outside: files, our environment variables, and what a server tells kernels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from traitlets import TraitError
from traitlets.config import Config, Configurable
from traitlets.config.loader import ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

from sandbook.errors import ConfigurationError

CONFIG_FILE = "sandbook_config"
CONFIG_VARIABLE = "SANDBOOK_CONFIG"
"""Carries settings as JSON from a server to the kernels that it starts."""
SPEC_VARIABLE = "SANDBOOK_KERNEL_CONFIG"
"""Carries settings as JSON from a kernelspec; one by one, they go before those of the server."""
SERVER_VARIABLE = "SANDBOOK_SERVER"
"""Tells kernels where the server is reached that starts them, and which process it is."""

KEY_VARIABLE = "SESSION_API_KEY"
PATIENCE_VARIABLE = "NO_CHANGE_TIMEOUT_SECONDS"

TRAIT_OF_VARIABLE = {
    "SANDBOOK_BACKEND": ("SandboxFactory", "backend"),
    "SANDBOOK_IMAGE": ("DockerBackend", "image"),
}


def config_from_files(folders: Sequence[str]) -> Config:
    """Read our files in these folders; the first folder has the last word, JSON over Python.

    Raises:
        ConfigurationError: One is there, but does not run or is no JSON.
    """
    config = Config()
    for folder in reversed(folders):
        for loader in (
            PyFileConfigLoader(f"{CONFIG_FILE}.py", folder),
            JSONFileConfigLoader(f"{CONFIG_FILE}.json", folder),
        ):
            try:
                found = loader.load_config()
            except ConfigFileNotFound:
                continue
            except Exception as error:  # a file of Python may raise anything
                reason = f"{type(error).__name__}: {error}"
                raise ConfigurationError(loader.full_filename, reason) from error
            config.merge(found)
    return config


def config_from_server(environment: Mapping[str, str]) -> Config:
    """Take what the server that started this kernel was told, and what the kernelspec adds.

    Raises:
        ConfigurationError: A variable holds something else.
    """
    config = Config()
    for variable in (CONFIG_VARIABLE, SPEC_VARIABLE):
        try:
            config.merge(Config(json.loads(environment.get(variable) or "{}")))
        except (AttributeError, TypeError, ValueError) as error:
            raise ConfigurationError(variable, error) from error
    return config


def dump_server(base_url: str, pid: int) -> str:
    """Write where a server is reached, as `server_from_environment` reads it."""
    return json.dumps({"base_url": base_url, "pid": pid})


def server_from_environment(environment: Mapping[str, str], parent: int) -> str:
    """Tell the base URL of the server that has started this process; empty where none has.

    A variable is inherited further than it is true: somebody may start a kernel from a terminal
    of the server. So it counts only if the server is the parent process.
    """
    try:
        told: Any = json.loads(environment.get(SERVER_VARIABLE) or "{}")
        return str(told["base_url"]) if told["pid"] == parent else ""
    except (KeyError, TypeError, ValueError):
        return ""


def config_from_environment(environment: Mapping[str, str]) -> Config:
    """Turn our variables into the configuration of the classes they belong to."""
    config = Config()
    for variable, (owner, trait) in TRAIT_OF_VARIABLE.items():
        if value := environment.get(variable):
            config[owner][trait] = value
    return config


def key_from_environment(environment: Mapping[str, str]) -> str:
    """Tell the key that an OpenHands runtime would ask for; empty where there is none."""
    return environment.get(KEY_VARIABLE, "")


def patience_from_environment(environment: Mapping[str, str]) -> float | None:
    """Tell after how many silent seconds an OpenHands runtime would answer.

    Raises:
        ConfigurationError: The variable holds no number.
    """
    value = environment.get(PATIENCE_VARIABLE)
    try:
        return float(value) if value else None
    except ValueError as error:
        raise ConfigurationError(PATIENCE_VARIABLE, f"{value!r} is no number") from error


def dump_config(config: Config) -> str:
    """Write a checked configuration as `config_from_server` reads it.

    Raises:
        ConfigurationError: A value is more than JSON can say.
    """
    for place, value in _settings(config):
        try:
            json.dumps(value)
        except (TypeError, ValueError) as error:
            reason = f"{value!r} cannot be passed on to kernels: {error}"
            raise ConfigurationError(place, reason) from error
    return json.dumps(config)


def checked_config(
    config: Config, classes: Sequence[type[Configurable]], parent: Configurable
) -> Config:
    """Take the settings of these classes, with the values that their traits make of them.

    Settings of other classes are left out. So is a name that one of these classes does not
    know: it is told to the parent's log.

    Raises:
        ConfigurationError: A value does not suit its trait, which the message names.
    """
    checked = Config()
    for owner in classes:
        name = owner.__name__
        if name in config:
            section: Any = config[name]
            if not isinstance(section, Config):
                raise ConfigurationError(name, f"settings are expected here, not {section!r}")
            checked[name] = _checked_section(owner, section, parent)
            checked[name].merge(checked_config(section, classes, parent))
    return checked


def _settings(config: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, Config):
            yield from _settings(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _checked_section(owner: type[Configurable], section: Config, parent: Configurable) -> Config:
    try:
        made = owner(config=Config({owner.__name__: section}), parent=parent)
    except (TraitError, ValueError) as error:
        raise ConfigurationError(_culprit(owner, section), error) from error
    names = owner.class_trait_names(config=True)
    return Config({name: getattr(made, name) for name in names if name in section})


def _culprit(owner: type[Configurable], section: Config) -> str:
    """Find the setting that is wrong alone; where only several together are, name the class."""
    for name in owner.class_trait_names(config=True):
        if name in section:
            try:
                owner(config=Config({owner.__name__: Config({name: section[name]})}))
            except (TraitError, ValueError):
                return f"{owner.__name__}.{name}"
    return owner.__name__
