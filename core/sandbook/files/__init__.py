"""The files of a sandbox: read, written, edited and packed inside it, never on this machine."""
