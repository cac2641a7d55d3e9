"""`python -m sandbook_cli`: the same as the command `sandbook`."""

import sys

from sandbook_cli.app import main

if __name__ == "__main__":
    sys.exit(main())
