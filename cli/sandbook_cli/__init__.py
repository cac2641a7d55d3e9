"""The command `sandbook`: sandboxes, images and kernels from a terminal."""
