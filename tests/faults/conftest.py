"""Owners of sandboxes that get into trouble."""

import io
import json
import tarfile
import uuid
from pathlib import Path

import docker
import pytest

from sandbook.actions import RunAction
from sandbook.executor import ActionExecutor
from sandbook.sandbox.base import SandboxRequest
from sandbook.sandbox.factory import SandboxFactory


class Owner:
    """Runs cells as a kernel does, and remembers what a person would see."""

    def __init__(self, executor):
        self.executor = executor

    async def run(self, command, **options):
        output = bytearray()
        result = await self.executor.run(RunAction(command, **options), output.extend)
        return result.exit_code, output.decode("utf-8", "replace")


@pytest.fixture
def owner(tmp_path, jp_asyncio_loop):
    """Make an owner with settings of its own; whatever it started is removed at the end."""
    made = []

    def make(backend, workspace=None, **settings):
        config = {SandboxFactory.backend_classes[backend].__name__: settings}
        factory = SandboxFactory(backend=backend, config=_config(config))
        request = SandboxRequest(str(uuid.uuid4()), Path(workspace or tmp_path))
        made.append(Owner(ActionExecutor(factory, request)))
        return made[-1]

    yield make
    for each in made:
        jp_asyncio_loop.run_until_complete(each.executor.close(restart=False))


def _config(settings):
    from traitlets.config import Config

    return Config(json.loads(json.dumps(settings)))


@pytest.fixture
def engine():
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def image(engine):
    """Make an image from a Dockerfile, or from nothing at all."""
    tags = []

    def make(*instructions):
        tag = f"sandbook-test/{uuid.uuid4()}"
        if instructions:
            text = "\n".join(["FROM sandbook/base", *instructions])
            engine.images.build(fileobj=io.BytesIO(text.encode()), tag=tag, forcerm=True)
        else:
            engine.api.import_image_from_data(_empty_tar(), repository=tag)
        tags.append(tag)
        return tag

    yield make
    for tag in tags:
        engine.images.remove(tag, force=True)


def _empty_tar():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        folder = tarfile.TarInfo("etc")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
    return buffer.getvalue()
