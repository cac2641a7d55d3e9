"""Images that nobody made for us."""

import pytest

from sandbook.errors import ImageNotFoundError, SandboxStartError

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("network", ["isolated", "none"])
async def test_an_image_without_bash_is_told(network, owner, image):
    person = owner("docker", image=image(), network=network)

    with pytest.raises(SandboxStartError, match="has no bash"):
        await person.run("echo no")


@pytest.mark.parametrize(
    "instruction",
    [
        'ENTRYPOINT ["/bin/false"]',
        "USER 4242:4242",
        "WORKDIR /no/where",
        "RUN rm -rf /tmp",
        "ENV PS1=evil PROMPT_COMMAND=false BASH_ENV=/etc/evil",
        "RUN rm -rf /home /root && rm /etc/passwd",
    ],
)
async def test_an_odd_image_runs_all_the_same(owner, image, instruction):
    person = owner("docker", image=image(instruction))

    assert await person.run("pwd; echo x > /tmp/x; cat /tmp/x") == (0, "/workspace\nx\n")


async def test_an_image_that_exists_nowhere_is_told_with_its_name(owner):
    with pytest.raises(ImageNotFoundError, match=r"no-such-registry\.invalid/no/such"):
        await owner("docker", image="no-such-registry.invalid/no/such").run("echo no")
