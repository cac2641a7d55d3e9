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

ON_THE_SHELL = (exits, hooks, language, options, programs, traps)
ON_THE_TERMINAL = (input_output, takeovers, terminal)
CASES = {
    name: steps
    for table in (*ON_THE_SHELL, *ON_THE_TERMINAL)
    for name, steps in table.CASES.items()
}
EVERYWHERE = [name for table in ON_THE_TERMINAL for name in table.CASES]
"""What depends on how a terminal is reached and a shell begun. The rest is between bash and us:
the same bash, the same lines, whatever the machine is."""
WHERE = {"bubblewrap": CASES, "docker": EVERYWHERE, "local": EVERYWHERE}


def test_there_are_enough_cases():
    assert len(CASES) >= 290
    assert len(EVERYWHERE) >= 70


@pytest.mark.parametrize(
    ("machine", "name"),
    [(backend, name) for backend, names in WHERE.items() for name in names],
    indirect=["machine"],
    scope="module",  # or each case would have a machine of its own
)
def test_a_hostile_cell(machine, name):
    async def work():
        async with machine.person() as person:
            for step in CASES[name]:
                await person.do(step)
            status, said = await person.say("/bin/echo still here")
            assert (status, said.splitlines()[-1]) == (0, "still here")

    machine.do(work())
