"""Runs code in processes of their own, with the vendored library on their path."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

VENDOR = Path(__file__).parents[2] / "ratchet" / "vendor"


def environment(**variables: str) -> dict[str, str]:
    """The environment of a process that may import the library: no role mode unless a variable sets it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SGLANG_")}
    return {**kept, "PYTHONPATH": str(VENDOR), **variables}


def start(code: str, variables: Mapping[str, str]) -> subprocess.Popen[str]:
    """A Python process that runs the code, with pipes to all its streams."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment(**variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a Python process that runs the code prints, and how it ends."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,  # a machine under load takes its time to import torch
    )
