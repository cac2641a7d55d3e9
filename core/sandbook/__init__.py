"""Sandboxes, the shell in them, their files, and the actions that people and agents do there."""

__version__ = "0.1.0"
