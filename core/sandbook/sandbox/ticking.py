"""A blocking source, listened to in a thread of its own, so that its silence holds nobody up."""

import threading
from collections.abc import Callable, Generator, Iterable
from queue import Empty, SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")

TICK_S = 0.4
"""How long a source may be silent before its listener hears that it is."""


def ticking(
    source: Callable[[], Iterable[Item]], stop: threading.Event
) -> Generator[Item | None, None, None]:
    """Give what the source gives, and `None` whenever it is silent; end when `stop` is set.

    The thread is a daemon: a source that never ends must not keep the process from ending.
    """
    items: SimpleQueue[Item | Exception | None] = SimpleQueue()
    given_up = threading.Event()
    arguments = (source, items, given_up)
    threading.Thread(target=_pump, args=arguments, name="sandbook-source", daemon=True).start()
    try:
        while not stop.is_set():
            try:
                item = items.get(timeout=TICK_S)
            except Empty:
                yield None
                continue
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        given_up.set()


def _pump(
    source: Callable[[], Iterable[Item]],
    items: "SimpleQueue[Item | Exception | None]",
    given_up: threading.Event,
) -> None:
    try:
        for item in source():
            items.put(item)
            if given_up.is_set():
                break  # lets go of the source; an engine then ends what it does
    except Exception as error:  # noqa: BLE001 -- raised by `ticking`, in its caller's thread
        items.put(error)
    items.put(None)
