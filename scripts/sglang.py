"""Puts the Python source of an SGLang release into a folder: `sglang.py VERSION FOLDER`.

The wheel comes from PyPI through pip; it is never installed and nothing in it is executed. Of the archive
only `sglang/` is unpacked, each name checked. A release that is already there is left alone.
"""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "sglang"
AGAIN = "look at the version and the network, then run `make sglang VERSION=0.5.17`"
# The releases have wheels of one kind of machine only; their Python source is the same for all.
PIP = (
    *("-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"),
    *("--only-binary=:all:", "--python-version=3.12"),
    *("--platform=manylinux_2_34_x86_64", "--platform=manylinux2014_x86_64", "--platform=any"),
)


def main(arguments: list[str]) -> int:
    """Fetch one release; prints the folder that holds its package."""
    if len(arguments) != 2:
        print("usage: sglang.py VERSION FOLDER, for example: sglang.py 0.5.17 .cache/sglang", file=sys.stderr)
        return 2
    if not re.fullmatch(r"[0-9][0-9A-Za-z.]*", arguments[0]):
        print(f"{arguments[0]!r} is no version of SGLang: {AGAIN}", file=sys.stderr)
        return 2
    version, folder = arguments[0], Path(arguments[1])
    tree = folder / version / PACKAGE
    if not tree.is_dir():
        try:
            fetch(version, folder)
        except (ValueError, OSError, zipfile.BadZipFile, subprocess.TimeoutExpired) as error:
            print(f"SGLang {version} could not be fetched, {error}: {AGAIN}", file=sys.stderr)
            return 1
    print(tree)
    return 0


def fetch(version: str, folder: Path) -> None:
    """Download a release's wheel and unpack its package to `folder/VERSION/sglang`, all of it or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        download(version, scratch)
        wheels = list(Path(scratch).glob("*.whl"))
        if len(wheels) != 1:
            raise ValueError(f"pip left {len(wheels)} wheels, not one")
        unpacked = Path(scratch) / version
        unpack(wheels[0], version, unpacked)
        shutil.rmtree(folder / version, ignore_errors=True)
        unpacked.rename(folder / version)


def download(version: str, folder: str) -> None:
    """Have pip put a release's wheel into a folder; ValueError with its last word where it cannot."""
    command = [sys.executable, *PIP, f"--dest={folder}", f"{PACKAGE}=={version}"]
    done = subprocess.run(command, check=False, timeout=900, capture_output=True, text=True)
    if done.returncode:
        told = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ValueError(f"pip says {told[-1].removeprefix('ERROR: ')!r}")


def unpack(wheel: Path, version: str, target: Path) -> None:
    """Unpack `sglang/` of a wheel; ValueError where it is not the wheel of that release, or is unsafe."""
    with zipfile.ZipFile(wheel) as archive:
        require_release(archive, version)
        for entry in archive.infolist():
            if entry.filename.startswith(f"{PACKAGE}/") and not entry.is_dir():
                place = target / safe_name(entry)
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, place.open("xb") as copy:
                    shutil.copyfileobj(source, copy)
    if not (target / PACKAGE / "__init__.py").is_file():
        raise ValueError(f"{wheel.name} holds no package {PACKAGE}")


def require_release(archive: zipfile.ZipFile, version: str) -> None:
    """ValueError where an archive does not say that it is the wheel of this release."""
    info = f"{PACKAGE}-{version}.dist-info"
    try:
        kind = archive.read(f"{info}/WHEEL").decode()
        metadata = archive.read(f"{info}/METADATA").decode()
    except (KeyError, UnicodeDecodeError):
        raise ValueError(f"{archive.filename} is not the wheel of {PACKAGE} {version}") from None
    if not kind.startswith("Wheel-Version:") or f"\nVersion: {version}\n" not in metadata:
        raise ValueError(f"{archive.filename} is not the wheel of {PACKAGE} {version}")


def safe_name(entry: zipfile.ZipInfo) -> str:
    """The name of an archive's entry; ValueError where it leads out of the folder, or is no regular file."""
    parts = entry.filename.split("/")
    mode = entry.external_attr >> 16
    if any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts):
        raise ValueError(f"the archive holds the unsafe name {entry.filename!r}")
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise ValueError(f"the archive holds {entry.filename!r}, which is no regular file")
    return entry.filename


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
