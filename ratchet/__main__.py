"""The command line: `ratchet`, also `python -m ratchet`."""

from __future__ import annotations

import os
import sys

from ratchet.cli.run import INTERRUPTED, run


def main() -> None:
    """Run the command line with the arguments of the process, and end the process with its exit code."""
    code = run()
    if code == INTERRUPTED:
        # The interpreter would say goodbye to processes that the interrupt has ended, and complain of each.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
