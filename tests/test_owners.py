"""CODEOWNERS as GitHub reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.errors import UsageError
from ratchet.owners import Owners, load_owners, parse_owners
from tests.source.scratch import plant


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        pytest.param("*", ["a.py", "a/b/c.py", ".x/y"], [], id="everything"),
        pytest.param("*.py", ["a.py", "a/b.py"], ["a.pyi", "a.py2", "apy"], id="suffix"),
        pytest.param("a.py", ["a.py", "x/a.py"], ["ba.py", "a.pyc"], id="name-anywhere"),
        pytest.param("/a.py", ["a.py"], ["x/a.py"], id="name-at-the-top"),
        pytest.param("srt", ["srt", "srt/a.py", "x/srt/b/c.py"], ["srt2/a.py", "xsrt/a.py"], id="folder"),
        pytest.param("srt/", ["srt/a.py", "x/srt/b.py"], ["srt"], id="folder-only"),
        pytest.param("/srt/", ["srt/a.py", "srt/b/c.py"], ["x/srt/a.py"], id="folder-at-the-top"),
        pytest.param("python/srt", ["python/srt/a.py"], ["x/python/srt/a.py"], id="a-slash-inside-anchors"),
        pytest.param("docs/*", ["docs/a.md"], ["docs/b/c.md", "x/docs/a.md"], id="files-of-a-folder"),
        pytest.param("docs/**", ["docs/a.md", "docs/b/c.md"], ["x/docs/a.md", "docs"], id="below-a-folder"),
        pytest.param("**/logs", ["logs/a", "x/logs/a", "x/y/logs"], ["xlogs/a"], id="any-depth"),
        pytest.param("a/**/b.py", ["a/b.py", "a/x/b.py", "a/x/y/b.py"], ["a/xb.py", "b.py"], id="in-between"),
        pytest.param("/a/tok_*", ["a/tok_x.py", "a/tok_y/z.py"], ["a/b/tok_x.py"], id="glob-of-folders-too"),
        pytest.param("?.py", ["a.py"], ["ab.py", "/.py"], id="question-mark"),
        pytest.param("a\\ b.py", ["a b.py"], ["a", "b.py"], id="escaped-space"),
        pytest.param("a+(b).py", ["a+(b).py"], ["aab.py"], id="no-regular-expression"),
    ],
)
def test_patterns(pattern: str, matches: list[str], others: list[str]) -> None:
    owners = parse_owners(f"{pattern} @team\n")
    assert [path for path in matches if owners.owners_of(path) != ("@team",)] == []
    assert [path for path in others if owners.owners_of(path)] == []


TEXT = """\
# who looks after what
*                 @all    # for everything else
/python/srt/      @srt a@example.org
*.md
[Section] @nobody
!/python/srt/x.py @nobody
\t/python/srt/lora/ @lora\r
#/python/         @nobody
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        pytest.param("setup.py", ("@all",), id="first-line"),
        pytest.param("python/srt/a.py", ("@srt", "a@example.org"), id="the-last-match-decides"),
        pytest.param("python/srt/lora/b.py", ("@lora",), id="deeper"),
        pytest.param("python/srt/README.md", (), id="a-line-without-owners-frees"),
        pytest.param("python/srt/x.py", ("@srt", "a@example.org"), id="no-negation"),
        pytest.param("[Section]", ("@all",), id="no-headings"),
    ],
)
def test_lines(path: str, owners: tuple[str, ...]) -> None:
    assert parse_owners(TEXT).owners_of(path) == owners


@pytest.mark.parametrize(
    ("files", "owner"),
    [
        pytest.param(
            [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"], ("@.github/CODEOWNERS",), id="all"
        ),
        pytest.param(["CODEOWNERS", "docs/CODEOWNERS"], ("@CODEOWNERS",), id="top"),
        pytest.param(["docs/CODEOWNERS"], ("@docs/CODEOWNERS",), id="docs"),
        pytest.param(["other/CODEOWNERS"], (), id="elsewhere"),
        pytest.param([], (), id="none"),
    ],
)
def test_usual_places(tmp_path: Path, files: list[str], owner: tuple[str, ...]) -> None:
    plant(tmp_path, {name: f"* @{name}\n" for name in files})
    assert load_owners(tmp_path).owners_of("a.py") == owner


def test_a_file_that_is_named(tmp_path: Path) -> None:
    plant(tmp_path, {"CODEOWNERS": "* @top", "own": b"* @own \xff"})
    assert load_owners(tmp_path, tmp_path / "own").owners_of("a.py") == ("@own", "\ufffd")
    assert load_owners(None) == Owners()
    with pytest.raises(UsageError) as refusal:
        load_owners(tmp_path, tmp_path / "gone")
    told = "cannot be read: no such file or directory; correct `owners` in the configuration"
    assert str(refusal.value) == f"{tmp_path}/gone: {told}"
