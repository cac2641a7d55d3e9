"""Cells that break other bash kernels, on every backend. The tables are in `cells`."""

import pytest

from tests.core.session.cells import (
    exits,
    hooks,
    input_output,
    language,
    options,
    takeovers,
    terminal,
    traps,
)
from tests.core.session.cells import processes as programs

CASES = {
    name: steps
    for table in (
        exits,
        hooks,
        input_output,
        language,
        options,
        programs,
        takeovers,
        terminal,
        traps,
    )
    for name, steps in table.CASES.items()
}


def test_there_are_enough_cases():
    assert len(CASES) >= 130


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_cell(machine, name):
    async def work():
        async with machine.person() as person:
            for step in CASES[name]:
                await person.do(step)
            status, said = await person.say("/bin/echo still here")
            assert (status, said.splitlines()[-1]) == (0, "still here")

    machine.do(work())
