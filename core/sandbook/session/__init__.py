"""The bash in a sandbox: how commands go in, and how their output and their end come out."""
