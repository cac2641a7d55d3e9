"""What agents ask of a sandbox, and the answers they read, however either is sent."""
