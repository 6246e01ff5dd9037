"""The unit of the table: seconds of CPU that a bare `ast.parse` of the files that name the record takes.

    python benchmarks/unit.py TREE

Prints the seconds, the number of those files, and their bytes. The files are read before the clock starts.
"""

from __future__ import annotations

import ast
import sys
import time
import warnings
from pathlib import Path

NAMES = (b"server_args", b"ServerArgs")


def main() -> None:
    """Parse the files of one tree, on one core, with the collector as it is by default."""
    warnings.simplefilter("ignore")
    contents = (path.read_bytes() for path in sorted(Path(sys.argv[1]).rglob("*.py")))
    named = [data for data in contents if any(name in data for name in NAMES)]
    start = time.process_time()
    for data in named:
        ast.parse(data)
    print(time.process_time() - start, len(named), sum(map(len, named)))


if __name__ == "__main__":
    main()
