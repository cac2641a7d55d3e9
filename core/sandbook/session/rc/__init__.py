"""The shell side of a session: what bash itself runs."""
