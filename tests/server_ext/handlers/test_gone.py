"""Sandboxes that end while somebody looks at their files."""

import asyncio
import json


async def test_a_sandbox_that_has_just_gone_is_said_to_be_gone(jp_fetch, backend, sandbox):
    async def ask(*parts):
        parts = ("sandbook", sandbox.info.sandbox_id, *parts)
        return await jp_fetch(*parts, raise_error=False)

    before = await ask("contents")
    await backend.remove(sandbox.info.sandbox_id)
    answer = await ask("contents")
    while answer.code == 200 and backend.name == "local":  # this machine is there, after all
        await asyncio.sleep(0.1)
        answer = await ask("contents")
    after = [answer, await ask("files", "etc", "passwd"), await ask("transfers")]

    assert before.code == 200
    assert [(each.code, json.loads(each.body)["code"]) for each in after] == [
        (404, "sandbox-not-found")
    ] * 3
