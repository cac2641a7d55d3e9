"""Writes down what is done in the sandbox, as cells that do it again."""
