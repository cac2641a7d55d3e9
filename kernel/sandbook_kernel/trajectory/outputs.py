"""Collects what a cell shows, as a notebook keeps it, and no more than anybody would keep."""

from typing import Any

from sandbook.trajectory.entries import Output

TEXT_MAX = 64 << 10
RICH_MAX = 1 << 20
CUT = "\n[… {} characters are left out here …]\n"
SHOWN = ("display_data", "execute_result")


class Text:
    """The beginning and the end of a text that may be long."""

    def __init__(self) -> None:
        self._head = self._tail = ""
        self._length = 0

    def add(self, text: str) -> None:
        """Take what comes next."""
        self._length += len(text)
        room = TEXT_MAX - len(self._head)
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-TEXT_MAX:]

    def __str__(self) -> str:
        left_out = self._length - len(self._head) - len(self._tail)
        return self._head + (CUT.format(left_out) if left_out else "") + self._tail


class Outputs:
    """The outputs of one cell, fed with what goes out on iopub."""

    def __init__(self) -> None:
        self._outputs: list[Output] = []
        self._places: dict[str, int] = {}
        """Where each display is that may be shown anew."""
        self._rich = 0
        self._clear_next = False

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """Take a message."""
        if kind == "clear_output":
            self._clear_next = True
            if not content.get("wait"):
                self._clear()
            return
        if self._clear_next and kind != "update_display_data":
            self._clear()
        if kind == "stream":
            self._add_text(content["name"], content["text"])
        elif kind in SHOWN or kind == "update_display_data":
            self._show(kind, content)
        elif kind == "error":
            self._outputs.append({"output_type": "error", **content})

    def collected(self) -> list[Output]:
        """Give what there is in the end."""
        return [
            {**output, "text": str(output["text"])} if "text" in output else output
            for output in self._outputs
        ]

    def _clear(self) -> None:
        self._outputs.clear()
        self._places.clear()
        self._clear_next = False
        self._rich = 0

    def _add_text(self, name: str, text: str) -> None:
        if not self._outputs or self._outputs[-1].get("name") != name:
            self._outputs.append({"output_type": "stream", "name": name, "text": Text()})
        self._outputs[-1]["text"].add(text)

    def _show(self, kind: str, content: dict[str, Any]) -> None:
        data = content["data"]
        size = sum(len(str(value)) for value in data.values())
        if self._rich + size > RICH_MAX:
            data = {"text/plain": str(data.get("text/plain", ""))[:TEXT_MAX]}
        else:
            self._rich += size
        shown: Output = {"data": data, "metadata": content.get("metadata", {})}
        display_id = content.get("transient", {}).get("display_id", "")
        if kind == "update_display_data":
            if display_id in self._places:
                self._outputs[self._places[display_id]].update(shown)
            return
        if kind == "execute_result":
            shown["execution_count"] = content["execution_count"]
        if display_id:
            self._places[display_id] = len(self._outputs)
        self._outputs.append({"output_type": kind, **shown})
