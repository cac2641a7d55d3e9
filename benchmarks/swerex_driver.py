"""Runs in the environment of the peers: swe-rex in one process, commands in, answers out.

One JSON object per line. swe-rex has its `LocalRuntime` here, without the HTTP server and the
container that it has elsewhere: the clock sees its session and nothing else.
"""

import asyncio
import json
import os
import sys
import time

from swerex.runtime.abstract import BashAction, CreateBashSessionRequest
from swerex.runtime.local import LocalRuntime


async def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is logged must not come between the answers
    runtime = LocalRuntime()
    await runtime.create_session(CreateBashSessionRequest())
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        begun = time.perf_counter()
        answer = await _run(runtime, json.loads(line))
        seconds = time.perf_counter() - begun
        print(json.dumps({**answer, "seconds": seconds}), file=answers, flush=True)


async def _run(runtime: LocalRuntime, command: str) -> dict[str, str]:
    try:
        observation = await runtime.run_in_session(BashAction(command=command))
    except Exception as error:  # noqa: BLE001 -- whatever it is, the other side wants to know
        return {"text": "", "error": f"{type(error).__name__}: {error}"}
    return {"text": observation.output, "error": ""}


asyncio.run(_serve())
