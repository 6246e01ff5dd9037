"""What lint says of packs that load."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.pack import load_packs
from ratchet.pack.lint import lint_pack
from tests.pack.test_load import RULE, write

TEXT = RULE.replace('"call"', '"text"')


@pytest.mark.parametrize(
    ("rule", "faults"),
    [
        (RULE, []),
        (TEXT.replace('names = ["app.old"]', "regex = 'old\\('"), []),
        ('paths = ["app"]\n' + RULE + 'path = "app/x.py"', []),
        (
            'paths = ["app"]\n' + RULE,
            ["mine/r.toml: the bad example 1 is at example.py, where the rule does not look"],
        ),
        (
            RULE + '[[exempt]]\nreason = "x"\npaths = ["*.py"]',
            ["mine/r.toml: the bad example 1 is at example.py, where the rule does not look"],
        ),
        (RULE + '[[exempt]]\nreason = "x"\npaths = ["*.py"]\nscopes = ["f"]', []),
    ],
    ids=["call", "text", "path", "outside", "exempt", "partly exempt"],
)
def test_lint(tmp_path: Path, rule: str, faults: list[str]) -> None:
    write(tmp_path / "mine", {"r": rule})
    assert list(lint_pack(load_packs(["./mine"], tmp_path))) == faults


def test_the_shipped_pack_has_nothing_to_tell(tmp_path: Path) -> None:
    assert lint_pack(load_packs(["sglang"], tmp_path)) == ()
