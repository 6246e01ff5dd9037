"""What a linter says of rewritten files."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path


def complaints(folder: Path) -> Counter[str]:
    """What ruff says of undefined, unused and redefined names, without line numbers."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--output-format=concise"]
    done = subprocess.run(
        [*command, "--select=F401,F811,F821,F841", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [re.sub(r":\d+:\d+:|line \d+", "", line) for line in done.stdout.splitlines()]
    return Counter(line for line in lines if ".py" in line)
