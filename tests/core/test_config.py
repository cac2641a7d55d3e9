from sandbook.config import config_from_environment
from sandbook.sandbox.docker import DockerBackend
from sandbook.sandbox.factory import SandboxFactory


def test_variables_reach_the_classes_they_belong_to():
    config = config_from_environment({"SANDBOOK_BACKEND": "docker", "SANDBOOK_IMAGE": "alpine:3"})

    factory = SandboxFactory(config=config)

    assert factory.backend == "docker"
    assert DockerBackend(parent=factory).image == "alpine:3"


def test_an_empty_variable_is_as_good_as_none():
    assert not config_from_environment({"SANDBOOK_BACKEND": "", "HOME": "/root"})
