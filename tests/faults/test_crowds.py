"""Many at once."""

import asyncio

import docker
import pytest

from tests.conftest import ISOLATED

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("backend", ISOLATED)
async def test_fifty_sandboxes_at_once_all_work_and_leave_nothing(backend, owner):
    people = [owner(backend) for _ in range(50)]

    answers = await asyncio.gather(*(person.run(f"echo {n}") for n, person in enumerate(people)))
    ids = {person.executor.info.sandbox_id for person in people}
    await asyncio.gather(*(person.executor.close(restart=False) for person in people))

    assert answers == [(0, f"{n}\n") for n in range(50)]
    client = docker.APIClient()
    left = client.containers(all=True, filters={"label": "sandbook.sandbox"})
    client.close()
    assert not ids & {row["Labels"]["sandbook.sandbox"] for row in left}
