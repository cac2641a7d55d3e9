"""What people and agents did in a sandbox, kept on this machine: the sandbox cannot change it."""
