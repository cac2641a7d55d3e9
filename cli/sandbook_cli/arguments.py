"""What people may write on the command line, told at once where it is wrong. Pure."""

import argparse
import re

IMAGE_NAME = re.compile(r"[A-Za-z0-9][\w./:@-]*")
KERNEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def image_name(text: str) -> str:
    """Take the name of an image; whether it exists is for the engine to say."""
    if not IMAGE_NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no name of an image, such as python:3.12")
    return text


def kernel_name(text: str) -> str:
    """Take the name of a kernel. It becomes a folder: `..` would replace all that Jupyter has."""
    if not KERNEL_NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no name of a kernel, such as py-3.12")
    return text


def some_id(text: str) -> str:
    """Take an id or its beginning. Nothing at all, as from an unset variable, means no sandbox."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an id is missing; see: sandbook ps")
    return text


def count(text: str) -> int:
    """Take a whole number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on")
    return int(text)
