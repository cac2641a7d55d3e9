"""Shows how far an image is: a bar on a terminal, plain lines anywhere else."""

import shutil
from typing import TextIO

from sandbook.sandbox.progress import Progress
from sandbook_cli.table import format_size

BAR_WIDTH = 24
ERASE_LINE = "\r\x1b[K"


class ProgressLine:
    """Writes progress to one stream, from whatever thread it comes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._last = ""

    def show(self, progress: Progress) -> None:
        """Show one moment; the same moment twice is shown once."""
        text = self._bar(progress) if self._is_terminal else self._line(progress)
        if text and text != self._last:
            self._last = text
            self._write(ERASE_LINE + text if self._is_terminal else text + "\n")
        if progress.finished and self._is_terminal:
            self._write(f"{ERASE_LINE}{progress.text}\n")
            self._last = ""

    def close(self) -> None:
        """Leave a clean line behind."""
        if self._is_terminal and self._last:
            self._write(ERASE_LINE)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()

    def _bar(self, progress: Progress) -> str:
        share = share_done(progress)
        filled = int(share * BAR_WIDTH)
        bar = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {share:4.0%}"
        text = " ".join(part for part in (bar, describe(progress), progress.text) if part)
        return text[: shutil.get_terminal_size().columns - 1]

    def _line(self, progress: Progress) -> str:
        if progress.what == "build" or progress.finished or progress.layers_total is None:
            return progress.text
        return f"Pulling: {progress.layers_done}/{progress.layers_total} layers"


def share_done(progress: Progress) -> float:
    """Estimate the part that is done, from 0 to 1."""
    if progress.finished:
        return 1.0
    if progress.what == "pull" and progress.total:
        return min(1.0, (progress.done or 0) / progress.total)
    return (progress.layers_done or 0) / progress.layers_total if progress.layers_total else 0.0


def describe(progress: Progress) -> str:
    """Tell layers or steps, and bytes where they are known."""
    parts: list[str] = []
    if progress.layers_total:
        unit = "steps" if progress.what == "build" else "layers"
        parts.append(f"{progress.layers_done}/{progress.layers_total} {unit}")
    if progress.total:
        parts.append(f"{format_size(progress.done or 0)} of {format_size(progress.total)}")
    return ", ".join(parts)
