"""The Jupyter kernel: cells are bash in a sandbox, and magics do what bash cannot."""
