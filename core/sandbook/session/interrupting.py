"""How a command is stopped: asked at first, made to at last, and never at the cost of the shell."""

import asyncio
from typing import Any

from sandbook.session.bash import BashSession
from sandbook.session.echoes import INTERRUPT
from sandbook.session.probe import Foreground, Probe, safely_foreground

BEGIN_S = 1.0
FIRST_WAITS_S = (0.05, 0.1, 0.25, 0.6, 1.0)
ENDING_S = 2.0
LAST_WAITS_S = (*[0.03] * 30, 1.0, 2.0, 3.0)
"""Many short ones at first: in a loop of quick programs, only some moments are good ones."""
UNRESPONSIVE = "it did not answer any more, so it was ended"


async def interrupt(session: BashSession, probe: Probe) -> None:
    """Press Ctrl-C, then end the foreground programs by SIGTERM, then by SIGKILL.

    A shell that is itself in a loop and has forbidden itself to be interrupted is given up at last.
    """
    if session.running is None:
        return
    running = session.running
    # Bash would take the rest of a line that it is just reading for a line of its own.
    beginning = asyncio.ensure_future(session.begun())
    await asyncio.wait([beginning, running], timeout=BEGIN_S, return_when="FIRST_COMPLETED")
    beginning.cancel()
    if not running.done():
        await _stop(session, probe, running)
    await session.settle()


async def press(session: BashSession, probe: Probe) -> None:
    """Press Ctrl-C once and see that it arrives: it may come just between two programs of a loop.

    What has its own answer to Ctrl-C, or ignores it, goes on.
    """
    running = session.running
    await session.type(INTERRUPT)
    if running is None:
        return
    answering = 0
    for wait in FIRST_WAITS_S:
        if await _ended(running, wait):
            break
        await session.nudge()
        foreground = await safely_foreground(probe, session)
        if _missed(foreground, session):
            await session.press_interrupt()
            await _signal(foreground, session, probe, "INT")  # keys wait for what is not read yet
        elif foreground is not None and foreground.group != session.pid:
            if foreground.group == answering:
                break
            answering = foreground.group  # or a copy of the shell that is just to be a program
    else:
        await session.press_interrupt()  # the shell itself goes on, or was about to each time
    await session.settle()


async def _stop(session: BashSession, probe: Probe, running: "asyncio.Future[Any]") -> None:
    await session.press_interrupt()
    for wait in FIRST_WAITS_S:
        if await _ended(running, wait):
            return
        await session.nudge()
        foreground = await safely_foreground(probe, session)
        if foreground is not None and foreground.stopped:
            await probe.wake(session.pid)
        if not running.done() and _missed(foreground, session, alone=True):
            await session.press_interrupt()
            await _signal(foreground, session, probe, "INT")  # keys wait for what is not read yet
    for signal in ("TERM", "KILL"):
        foreground = await safely_foreground(probe, session)
        if not await _signal(foreground, session, probe, signal):
            await session.press_interrupt()
        if await _ended(running, ENDING_S):
            return
        await session.nudge()
    await _last_resort(session, probe, running)


async def _last_resort(session: BashSession, probe: Probe, running: "asyncio.Future[Any]") -> None:
    """End what comes to the foreground next; if that is only the shell itself, give it up."""
    for wait in LAST_WAITS_S:
        await _signal(await safely_foreground(probe, session), session, probe, "KILL")
        await session.press_interrupt()
        if await _ended(running, wait):
            return
        await session.nudge()
    session.close(UNRESPONSIVE)  # first, for its end is news to the session
    await probe.kill(session.pid)


async def _signal(
    foreground: Foreground | None, session: BashSession, probe: Probe, name: str
) -> bool:
    """Send a signal to the programs in the foreground; the shell itself gets none."""
    if foreground is None or foreground.group == session.pid:
        return False
    await probe.signal(foreground.group, name)
    return True


def _missed(foreground: Foreground | None, session: BashSession, *, alone: bool = False) -> bool:
    """Say whether programs run that Ctrl-C would have ended: it came before they were there.

    Args:
        alone: What is said if only the shell runs, which is maybe just between two programs.
    """
    if foreground is None:
        return False
    if foreground.group == session.pid:
        return alone
    return all(not process.hears_interrupt for process in foreground.processes)


async def _ended(running: "asyncio.Future[Any]", timeout: float) -> bool:
    await asyncio.wait([running], timeout=timeout)
    return running.done()
