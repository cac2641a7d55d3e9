"""Keys that an agent presses."""


async def test_ctrl_c_ends_a_loop_also_between_two_of_its_programs(client):
    for _ in range(15):
        begun = await client.run("while :; do sleep 0.002; done", timeout=0.1)
        ended = await client.run("C-c", is_input=True, timeout=30)

        assert begun["extras"]["metadata"]["exit_code"] == -1
        assert ended["extras"]["metadata"]["exit_code"] == 130
        assert (await client.run("echo next"))["content"] == "next"
