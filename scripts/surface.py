"""Writes the surfaces of SGLang's releases anew: `surface.py [--check] [--file FILE] FOLDER [VERSION]...`.

Without versions they are those that the file holds already. A release that FOLDER lacks is fetched as
`sglang.py` does. All are read before any is written: a name that a module imports for itself is kept where
another release passes it on, which a release by itself cannot tell (`ratchet surface record` adds one).
With `--check` nothing is written, and it ends with 1 where the file is another one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ratchet.atomic import write_file
from ratchet.errors import RatchetError
from ratchet.model import Pack
from ratchet.pack import load_packs
from ratchet.schema import tree_readers
from ratchet.surface import Release, encode, load_history, read_release
from ratchet.surface.encoding import version_key

FETCH = Path(__file__).with_name("sglang.py")
FILE = Path(__file__).parents[1] / "rules" / "sglang" / "surface.tsv"
PACK = "sglang"


def main(arguments: Sequence[str]) -> int:
    """Write or check the file; prints what it holds."""
    parser = argparse.ArgumentParser(prog="surface.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("folder", type=Path)
    parser.add_argument("versions", nargs="*")
    chosen = parser.parse_args(arguments)
    try:
        versions = chosen.versions or [release.engine for release in load_history(chosen.file)]
        versions.sort(key=version_key)
        pack = load_packs([PACK], Path())
        text = encode([read(version, chosen.folder, pack) for version in versions])
    except (RatchetError, ValueError, OSError) as error:
        print(f"{chosen.file} cannot be written anew: {error}", file=sys.stderr)
        return 1
    same = chosen.file.is_file() and chosen.file.read_bytes() == text.encode()
    if not chosen.check:
        write_file(chosen.file, text.encode())
    found = "the same bytes" if same else "another file" if chosen.check else "written"
    print(f"{chosen.file}: {found}, {len(versions)} releases from {versions[0]} to {versions[-1]}")
    return 1 if chosen.check and not same else 0


def read(version: str, folder: Path, pack: Pack) -> Release:
    """The surface of one release; ValueError where it is not there and cannot be fetched."""
    fetched = subprocess.run(
        [sys.executable, FETCH, version, folder], stdout=subprocess.PIPE, text=True, check=False
    )
    if fetched.returncode:
        raise ValueError(f"there is no tree of {version}")
    return read_release(version, *tree_readers(Path(fetched.stdout.strip())), pack)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
