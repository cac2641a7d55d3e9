"""How far the pull or the build of an image is, read from what engines say meanwhile. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

_STEP = re.compile(r"^Step (\d+)/(\d+) :|^#\d+ \[(?:\S+ )?(\d+)/(\d+)\]")
"""How the classic builder and BuildKit begin a step."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_DONE = ("Pull complete", "Already exists")


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of a pull, a build or a copy. What is not known is `None`."""

    what: Literal["pull", "build", "copy"]
    text: str
    """One line for a person."""
    done: int | None = None
    total: int | None = None
    """Bytes; of a pull, as far as the layers that have begun tell their size."""
    layers_done: int | None = None
    layers_total: int | None = None
    """Layers of a pull, steps of a build."""
    finished: bool = False


class PullMeter:
    """Adds up the layers of one pull."""

    def __init__(self, image: str) -> None:
        self._image = image
        self._layers: dict[str, bool] = {}
        self._bytes: dict[str, tuple[int, int]] = {}

    def take(self, event: Mapping[str, Any]) -> Progress:
        """Note what the engine says; give back how far the whole is."""
        status, layer = str(event.get("status", "")), str(event.get("id", ""))
        detail: Mapping[str, int] = event.get("progressDetail") or {}
        if status.startswith("Pulling from"):
            return self._progress(status)
        if layer:
            self._layers[layer] = status in _DONE
            if status == "Downloading" and detail.get("total"):
                self._bytes[layer] = (detail["current"], detail["total"])
            elif layer in self._bytes and status in ("Download complete", *_DONE):
                total = self._bytes[layer][1]
                self._bytes[layer] = (total, total)
        return self._progress(f"{layer}: {status}" if layer else status)

    def finish(self) -> Progress:
        """Say that all is there."""
        return self._progress(f"Image {self._image} is ready", finished=True)

    def _progress(self, text: str, *, finished: bool = False) -> Progress:
        known = bool(self._bytes)
        return Progress(
            what="pull",
            text=text,
            done=sum(done for done, _ in self._bytes.values()) if known else None,
            total=sum(total for _, total in self._bytes.values()) if known else None,
            layers_done=sum(self._layers.values()) if self._layers else None,
            layers_total=len(self._layers) or None,
            finished=finished,
        )


class BuildMeter:
    """Counts the steps of one build, and keeps its last lines for the case that it fails."""

    def __init__(self, image: str, last_lines: int = 15) -> None:
        self._image = image
        self._step: tuple[int, int] | None = None
        self._kept = last_lines
        self.last_lines: list[str] = []

    def take(self, line: str) -> Progress:
        """Note a line of the builder; give back how far it is."""
        line = _COLOURS.sub("", line).rstrip()
        if line:
            self.last_lines = [*self.last_lines, line][-self._kept :]
        if match := _STEP.match(line):
            number, total = (int(group) for group in match.groups() if group)
            self._step = (number - 1, total)
        return self._progress(line)

    def finish(self) -> Progress:
        """Say that the image is there."""
        if self._step:
            self._step = (self._step[1], self._step[1])
        return self._progress(f"Image {self._image} is ready", finished=True)

    def _progress(self, text: str, *, finished: bool = False) -> Progress:
        done, total = self._step or (None, None)
        return Progress("build", text, None, None, done, total, finished)
