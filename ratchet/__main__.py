"""The command line: `ratchet`, also `python -m ratchet`."""

from __future__ import annotations

import sys

from ratchet.cli.run import run


def main() -> None:
    """Run the command line with the arguments of the process, and end the process with its exit code."""
    sys.exit(run())


if __name__ == "__main__":
    main()
