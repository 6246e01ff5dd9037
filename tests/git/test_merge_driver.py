"""The command that git runs: its exit code, what it says, and that it never ends in a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from ratchet.baseline.format import dump, load
from ratchet.cli.group import cli
from tests.baseline.samples import baseline


def run(folder: Path, *texts: str, path: str = "baselines/writes.tsv") -> tuple[int, str]:
    files = [folder / name for name in ("base", "ours", "theirs")]
    for file, text in zip(files, texts, strict=False):
        file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(cli, ["merge-driver", *map(str, files), path])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def test_merged(tmp_path: Path) -> None:
    before, one, other = baseline("a.py f x", "a.py f y"), baseline("a.py f x"), baseline("a.py f y")
    assert run(tmp_path, dump(before), dump(one), dump(other)) == (0, "")
    assert load(tmp_path / "ours", "writes") == baseline()


@pytest.mark.parametrize("path", ["b/with space.tsv", "b/quote'.tsv", "b/nested.name.tsv"])
def test_any_name_of_a_file(tmp_path: Path, path: str) -> None:
    text = dump(baseline("a.py f x"))
    assert run(tmp_path, text, text, text, path=path) == (0, "")


def test_conflict_is_one_sentence(tmp_path: Path) -> None:
    text = dump(baseline())
    code, said = run(tmp_path, text, text, "nonsense")
    assert code == 1
    assert said == (
        "ratchet merge-driver: their side cannot be merged: baselines/writes.tsv:1: expected a line break"
        " at the end, the file may be cut off: restore it with `git checkout HEAD -- baselines/writes.tsv`,"
        " then run `ratchet tighten`\n"
    )


def test_missing_file_is_a_wrong_argument(tmp_path: Path) -> None:
    code, said = run(tmp_path, dump(baseline()), dump(baseline()))
    assert code == 2
    assert "theirs' does not exist" in said
