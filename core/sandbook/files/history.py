"""What files held before they were edited."""

from collections import OrderedDict, deque

DEPTH = 10
MAX_CHARACTERS = 50_000_000


class History:
    """Remembers the last texts of each file, so that an edit can be undone."""

    def __init__(self, depth: int = DEPTH, max_characters: int = MAX_CHARACTERS) -> None:
        self._depth = depth
        self._max_characters = max_characters
        self._characters = 0
        self._texts: OrderedDict[str, deque[str]] = OrderedDict()

    def push(self, path: str, text: str) -> None:
        """Remember a text; the oldest of this file goes when there are too many."""
        texts = self._texts.setdefault(path, deque())
        self._texts.move_to_end(path)
        texts.append(text)
        self._characters += len(text)
        if len(texts) > self._depth:
            self._characters -= len(texts.popleft())
        self._shrink()

    def pop(self, path: str) -> str | None:
        """Take back the last text of a file, if any is left."""
        texts = self._texts.get(path)
        if not texts:
            return None
        text = texts.pop()
        self._characters -= len(text)
        if not texts:
            del self._texts[path]
        return text

    def forget(self, path: str) -> None:
        """Drop all that is known of a file: it is gone, or is another one now."""
        self._characters -= sum(map(len, self._texts.pop(path, ())))

    def _shrink(self) -> None:
        """Let the file go that was not edited for longest; the last text always stays."""
        while self._characters > self._max_characters:
            path, texts = next(iter(self._texts.items()))
            if len(self._texts) == 1 and len(texts) == 1:
                return
            self._characters -= len(texts.popleft())
            if not texts:
                del self._texts[path]
