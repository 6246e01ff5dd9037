"""Shows the main job on the small engine tree: a check that passes, then one that fails on an added site.

Everything happens in a scratch copy that is removed at the end; the checkout stays as it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "engine"
FILE = Path("sglang/srt/models/moe.py")
BEFORE = """        return sorted(tokens) if get_exec().moe.moe_a2a_backend == "deepep" else tokens
"""
ADDED = """        if get_server_args().disable_overlap_schedule:
            return tokens
"""
IMPORT_BEFORE = "import get_exec\n"
IMPORT_AFTER = "import get_exec, get_server_args\n"


def main() -> int:
    """Run both checks; 0 where the first passed and the second failed on the added site, else 1."""
    with tempfile.TemporaryDirectory(prefix="ratchet-demo-") as scratch:
        tree = Path(scratch) / "engine"
        shutil.copytree(EXAMPLE, tree, ignore=shutil.ignore_patterns("__pycache__"))
        print("A small engine tree, and the committed baselines of its old call sites.\n", flush=True)
        clean = run(tree)
        add_site(tree / FILE)
        print(f"\nNow {FILE} asks the old record for a value, as it should not any more:\n", flush=True)
        print("".join(f"    + {line.strip()}\n" for line in ADDED.splitlines()[:1]), flush=True)
        failing = run(tree)
    if (clean, failing) == (0, 1):
        print("\nAs it should be: 0 before, 1 after. The scratch copy is removed.")
        return 0
    print(f"\nThis is wrong: the checks should have exited with 0 and 1, not {clean} and {failing}.")
    return 1


def add_site(file: Path) -> None:
    """Add one read of the old record to a file of the copy."""
    text = file.read_text(encoding="utf-8")
    if BEFORE not in text or IMPORT_BEFORE not in text:
        raise SystemExit(f"{file.name} of the example has changed: adapt {Path(__file__).name} to it")
    changed = text.replace(IMPORT_BEFORE, IMPORT_AFTER).replace(BEFORE, ADDED + BEFORE)
    file.write_text(changed, encoding="utf-8")


def run(tree: Path) -> int:
    """Run a check in a folder, shown as one would type it; its exit code."""
    print("$ ratchet check", flush=True)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tree.parent / "cache"), "GITHUB_ACTIONS": ""}
    done = subprocess.run([sys.executable, "-m", "ratchet", "check"], cwd=tree, env=environment, check=False)
    print(f"$ echo $?\n{done.returncode}", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
