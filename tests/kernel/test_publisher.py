import asyncio

from sandbook_kernel.display import text
from sandbook_kernel.publisher import CHUNK_BYTES, INTERVAL_S, Publisher


class Sent(list):
    """What was sent, as (kind, content)."""

    def __call__(self, kind, content):
        self.append((kind, content))

    @property
    def text(self):
        return "".join(content["text"] for kind, content in self if kind == "stream")


async def test_the_first_output_goes_out_at_once():
    sent = Sent()

    Publisher(sent).output(b"now")

    assert sent == [("stream", {"name": "stdout", "text": "now"})]


async def test_what_follows_is_gathered():
    sent = Sent()
    publisher = Publisher(sent)

    for _ in range(1000):
        publisher.output(b"x")
    await asyncio.sleep(2 * INTERVAL_S)

    assert sent.text == "x" * 1000
    assert len(sent) == 2


async def test_a_flood_goes_out_in_chunks():
    sent = Sent()
    publisher = Publisher(sent)

    for _ in range(256):
        publisher.output(b"x" * 1024)
    publisher.flush()

    assert len(sent.text) == 256 * 1024
    assert len(sent) <= 2 + 256 * 1024 // CHUNK_BYTES


async def test_a_character_cut_in_two_is_put_together():
    sent = Sent()
    publisher = Publisher(sent)

    for byte in "é😀".encode():
        publisher.output(bytes([byte]))
    publisher.flush()

    assert sent.text == "é😀"


async def test_bytes_that_are_no_text_are_replaced_and_not_lost():
    sent = Sent()
    publisher = Publisher(sent)

    publisher.output(b"a\xff\xe2")
    publisher.flush()

    assert sent.text == "a\ufffd\ufffd"


async def test_a_display_keeps_its_place_after_the_output_before_it():
    sent = Sent()
    publisher = Publisher(sent)

    publisher.output(b"1")
    publisher.output(b"2")
    publisher.display(text("3"))

    assert [kind for kind, _ in sent] == ["stream", "stream", "display_data"]


async def test_an_error_is_words_and_no_traceback():
    sent = Sent()

    content = Publisher(sent).error("ExitStatus", "exit status 3")

    assert sent == [("error", content)]
    assert content["evalue"] == "exit status 3"
    assert "Traceback" not in "".join(content["traceback"])
