"""Sandbook beside floors and peers: ratios within one run, since machines are noisy."""
