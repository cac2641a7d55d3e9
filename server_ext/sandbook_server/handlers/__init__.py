"""What the extension answers: one file per resource."""
