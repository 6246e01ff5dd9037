"""The command line: `ratchet`, also `python -m ratchet`."""

from __future__ import annotations

import gc
import os
import sys

# Loading code makes tens of thousands of objects that stay: a collector that looks at them again and again
# takes a tenth of a short run.
gc.set_threshold(100_000, 20, 20)

from ratchet.cli.run import INTERRUPTED, run  # noqa: E402


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
