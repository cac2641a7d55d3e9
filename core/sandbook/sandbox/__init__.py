"""The isolated machines: one contract, one module per backend."""
