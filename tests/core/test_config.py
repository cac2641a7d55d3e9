"""Settings from files, variables and servers: which are taken, which win, which are refused."""

import importlib
import json
import logging
import pkgutil
from pathlib import Path

import pytest
from traitlets import Dict, List, Unicode
from traitlets.config import Config, Configurable, LoggingConfigurable
from traitlets.config.loader import DeferredConfigList, DeferredConfigString

import sandbook
from sandbook.config import (
    CONFIG_VARIABLE,
    SPEC_VARIABLE,
    checked_config,
    config_from_environment,
    config_from_files,
    config_from_server,
    dump_config,
    patience_from_environment,
)
from sandbook.configurables import CONFIGURABLES
from sandbook.errors import ConfigurationError
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory


class Shelf(LoggingConfigurable):
    mounts = List(Unicode(), ["/usr"]).tag(config=True)
    options = Dict().tag(config=True)


@pytest.fixture
def parent(caplog):
    return Shelf(log=logging.getLogger("sandbook-test"))


def checked(parent, config, classes=CONFIGURABLES):
    return checked_config(Config(config), classes, parent)


def test_variables_reach_the_classes_they_belong_to():
    config = config_from_environment({"SANDBOOK_BACKEND": "docker", "SANDBOOK_IMAGE": "alpine:3"})

    factory = SandboxFactory(config=config)

    assert factory.backend == "docker"
    assert DockerBackend(parent=factory).image == "alpine:3"


def test_an_empty_variable_is_as_good_as_none():
    assert not config_from_environment({"SANDBOOK_BACKEND": "", "HOME": "/root"})


@pytest.mark.parametrize(("value", "patience"), [("", None), ("2", 2.0), ("0.5", 0.5)])
def test_patience_is_told_as_to_an_openhands_runtime(value, patience):
    assert patience_from_environment({"NO_CHANGE_TIMEOUT_SECONDS": value}) == patience


def test_patience_that_is_no_number_is_refused():
    with pytest.raises(ConfigurationError, match=r"NO_CHANGE_TIMEOUT_SECONDS: 'soon' is no number"):
        patience_from_environment({"NO_CHANGE_TIMEOUT_SECONDS": "soon"})


@pytest.mark.parametrize("value", [None, "", "{}"])
def test_without_a_server_nothing_is_handed_over(value):
    assert config_from_server({} if value is None else {CONFIG_VARIABLE: value}) == {}


@pytest.mark.parametrize("variable", [CONFIG_VARIABLE, SPEC_VARIABLE])
@pytest.mark.parametrize("value", ["{", "[1]", "7", '"text"', "null", '{"DockerBackend": '])
def test_a_variable_that_none_of_us_wrote_is_refused_by_name(variable, value):
    with pytest.raises(ConfigurationError, match=variable):
        config_from_server({variable: value})


def test_a_kernelspec_goes_before_the_server_one_setting_at_a_time():
    config = config_from_server(
        {
            CONFIG_VARIABLE: '{"DockerBackend": {"memory_mb": 300, "pids": 90}, "Backend": {}}',
            SPEC_VARIABLE: '{"DockerBackend": {"memory_mb": 400}, "LocalBackend": {"pids": 9}}',
        }
    )

    assert config == {
        "DockerBackend": {"memory_mb": 400, "pids": 90},
        "Backend": {},
        "LocalBackend": {"pids": 9},
    }


def test_the_first_folder_has_the_last_word_and_json_comes_after_python(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (first / "sandbook_config.py").write_text("c.DockerBackend.memory_mb = 100")
    (second / "sandbook_config.json").write_text('{"DockerBackend": {"cpus": 3, "pids": 90}}')
    (second / "sandbook_config.py").write_text(
        "c.DockerBackend.memory_mb = 200; c.DockerBackend.cpus = 4"
    )

    config = config_from_files([str(first), str(second), str(tmp_path / "missing")])

    assert config == {"DockerBackend": {"memory_mb": 100, "cpus": 3, "pids": 90}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sandbook_config.py", "c.DockerBackend.memory_mb ="),
        ("sandbook_config.py", "1 / 0"),
        ("sandbook_config.json", "{"),
        ("sandbook_config.json", "[1, 2]"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_its_path(name, text, tmp_path):
    (tmp_path / name).write_text(text)

    with pytest.raises(ConfigurationError) as caught:
        config_from_files([str(tmp_path)])

    assert str(tmp_path / name) in str(caught.value)


def test_only_our_classes_travel(parent):
    config = {"DockerBackend": {"pids": 90}, "IdentityProvider": {"token": "secret"}}

    told = dump_config(checked(parent, config))

    assert json.loads(told) == {"DockerBackend": {"pids": 90}}
    assert config_from_server({CONFIG_VARIABLE: told}) == {"DockerBackend": {"pids": 90}}


def test_what_a_command_line_left_as_text_becomes_what_the_trait_takes(parent):
    config = {
        "DockerBackend": {
            "memory_mb": DeferredConfigString("512"),
            "cpus": DeferredConfigList(["1.5"]),
        }
    }

    assert checked(parent, config) == {"DockerBackend": {"memory_mb": 512, "cpus": 1.5}}


def test_what_is_added_to_a_default_travels_as_the_whole(parent):
    config = Config()
    config.Shelf.mounts.append("/opt")
    config.Shelf.options.update({"a": 1})

    told = dump_config(checked(parent, config, [Shelf]))

    assert json.loads(told) == {"Shelf": {"mounts": ["/usr", "/opt"], "options": {"a": 1}}}


def test_settings_for_a_class_inside_another_travel_too(parent):
    config = {"SandboxFactory": {"DockerBackend": {"pids": 90}}}

    taken = checked(parent, config)

    assert DockerBackend(parent=SandboxFactory(config=taken)).pids == 90


def test_a_value_that_json_cannot_say_is_refused_by_name(parent):
    config = checked(parent, {"Shelf": {"options": {"root": Path("/")}}}, [Shelf])

    with pytest.raises(
        ConfigurationError, match=r"Shelf\.options.* cannot be passed on to kernels"
    ):
        dump_config(config)


@pytest.mark.parametrize(
    ("owner", "trait", "value"),
    [
        ("DockerBackend", "memory_mb", 1),
        ("DockerBackend", "memory_mb", "lots"),
        ("DockerBackend", "memory_mb", DeferredConfigString("lots")),
        ("DockerBackend", "memory_mb", DeferredConfigList(["100", "200"])),
        ("SandboxFactory", "backend", "chroot"),
        ("BubblewrapBackend", "network", None),
    ],
)
def test_a_wrong_value_is_refused_in_one_line_by_name(owner, trait, value, parent):
    with pytest.raises(ConfigurationError) as caught:
        checked(parent, {owner: {trait: value}})

    assert caught.value.code == "invalid-configuration"
    assert caught.value.place == f"{owner}.{trait}"
    assert str(caught.value).startswith(f"Wrong configuration in {owner}.{trait}: ")
    assert "\n" not in str(caught.value)


def test_a_value_in_the_place_of_a_class_is_refused(parent):
    with pytest.raises(ConfigurationError, match="DockerBackend: settings are expected here"):
        checked(parent, {"DockerBackend": 7})


def test_an_unknown_name_is_left_out_with_a_warning_that_tells_the_right_one(parent, caplog):
    taken = checked(parent, {"DockerBackend": {"memroy_mb": 512, "pids": 90}})

    assert taken == {"DockerBackend": {"pids": 90}}
    assert "`memroy_mb` not recognized by `DockerBackend`" in caplog.text
    assert "Did you mean `memory_mb`?" in caplog.text


def test_every_class_with_settings_is_in_the_list():
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(sandbook.__path__, "sandbook.")
    ]

    with_settings = {
        member
        for module in modules
        for member in vars(module).values()
        if isinstance(member, type)
        and issubclass(member, Configurable)
        and member.__module__ == module.__name__
        and member.class_own_traits(config=True)
    }

    assert SandboxFactory in with_settings
    assert with_settings <= set(CONFIGURABLES)
