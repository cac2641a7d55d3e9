"""sandbook prune: what has ended goes, what runs stays unless it was asked for."""

import os
import platform
import uuid

import docker
import pexpect
import pytest

from sandbook.sandbox.runtime_folder import realm


@pytest.fixture
def engine():
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def left_over(engine):
    """Start a container that ends at once and stays."""
    made = []

    def make(**labels):
        labels = {"sandbook.realm": realm(), **labels}
        container = engine.containers.run("sandbook/base", ["true"], labels=labels, detach=True)
        made.append(container)
        container.wait()
        return container

    yield make
    for container in made:
        if engine.containers.list(all=True, filters={"id": container.id}):
            container.remove(force=True)


def is_there(engine, container):
    return bool(engine.containers.list(all=True, filters={"id": container.id}))


def test_ended_containers_and_helpers_go_and_running_sandboxes_stay(
    sandbook, engine, left_over, sandbox, sandbox_request, listed
):
    helper = left_over(**{"sandbook.helper": "1"})

    done = sandbook("prune")

    assert done.code == 0
    assert helper.name in done.out
    assert not is_there(engine, helper)
    assert sandbox_request.sandbox_id in listed()
    assert "still run" in done.err


def test_a_container_that_ended_is_removed(sandbook, engine, left_over):
    sandbox_id = f"cli-prune-{uuid.uuid4().hex[:6]}"
    labels = {"sandbook.sandbox": sandbox_id, "sandbook.user": str(os.getuid())}
    container = left_over(**labels)
    container.rename(f"sandbook-{sandbox_id}")

    done = sandbook("prune")

    assert sandbox_id in done.out.splitlines()
    assert not is_there(engine, container)


def test_containers_of_somebody_else_stay(sandbook, engine, left_over):
    container = left_over(**{"sandbook.sandbox": "theirs", "sandbook.user": "4711"})

    sandbook("prune")

    assert is_there(engine, container)


def test_containers_of_another_realm_stay(sandbook, engine, left_over):
    elsewhere = {"sandbook.realm": "/elsewhere", "sandbook.user": str(os.getuid())}
    made = [left_over(**elsewhere, **{f"sandbook.{kind}": "1"}) for kind in ("sandbox", "helper")]

    done = sandbook("prune")

    assert (done.code, done.out) == (0, "")
    assert all(is_there(engine, container) for container in made)


def test_all_without_yes_asks_and_nobody_answers(sandbook, sandbox, sandbox_request, listed):
    done = sandbook("prune", "--all")

    assert done.code == 1
    assert "prune --all --yes" in done.err
    assert sandbox_request.sandbox_id in listed()


def test_no_is_taken_for_an_answer(command, environment, sandbox, sandbox_request, listed):
    child = pexpect.spawn(command[0], [*command[1:], "prune", "--all"], env=environment, timeout=20)

    child.expect_exact(sandbox_request.sandbox_id)
    child.expect_exact("[y/N] ")
    child.sendline("n")
    child.expect_exact("Nothing was removed.")
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 1
    assert sandbox_request.sandbox_id in listed()


@pytest.mark.parametrize("backend", ["docker"], indirect=True)
def test_what_is_kept_for_its_notebook_stays(sandbook, engine, left_over, backend):
    sandbox_id = f"cli-kept-{uuid.uuid4().hex[:6]}"
    labels = {"sandbook.sandbox": sandbox_id, "sandbook.user": str(os.getuid())}
    container = left_over(**labels, **{"sandbook.lifetime": "keep"})
    container.rename(f"sandbook-{sandbox_id}")

    done = sandbook("prune")
    stays = is_there(engine, container)
    everything = sandbook("prune", "--all", "--yes")

    assert sandbox_id not in done.out
    assert stays
    assert "kept for their notebooks" in done.err
    assert sandbox_id in everything.out.splitlines()
    assert not is_there(engine, container)


def test_volumes_of_sandboxes_that_are_gone_go(sandbook, engine):
    name = f"sandbook-{uuid.uuid4()}"
    labels = {"volume": name, "user": str(os.getuid()), "host": platform.node(), "realm": realm()}
    engine.volumes.create(name, labels={f"sandbook.{key}": value for key, value in labels.items()})

    done = sandbook("prune")

    assert done.code == 0
    assert name in done.out.splitlines()
    assert not engine.volumes.list(filters={"name": name})
