"""A baseline reads back to itself; a damaged one is refused with file, line, expectation and next command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.baseline.format import dump, load, parse
from ratchet.errors import JudgeError
from ratchet.model import Baseline, Row
from tests.baseline.samples import baseline

HEADER = (
    "# ratchet baseline format 1\n"
    "# fingerprint f00d\n"
    "# Kept by `ratchet tighten`, raised only by `ratchet allow RULE PATH --reason WHY`, never edited.\n"
)
GIT = "restore it with `git checkout HEAD -- b.tsv`, then run `ratchet tighten`"
TIGHTEN = (
    "run `ratchet tighten writes` while git lists it as unmerged, which merges both sides row by row;"
    " where the markers are committed, take the file of one side with `git checkout HEAD^1 -- b.tsv`,"
    " then run it"
)


def test_dump_is_the_whole_text() -> None:
    rows = baseline("b.py A.f self.x.y 2", "a.py - g().y 1 needed by the launcher", "a.py - g().x")
    assert dump(rows) == (
        HEADER + "a.py\t\tg().x\t1\na.py\t\tg().y\t1\tneeded by the launcher\nb.py\tA.f\tself.x.y\t2\n"
    )


def test_no_rows_are_a_baseline() -> None:
    assert dump(baseline()) == HEADER
    assert parse(HEADER.encode(), "writes", "b.tsv") == baseline()


def test_dump_sorts() -> None:
    rows = baseline("a.py f x", "b.py f x").rows
    assert dump(Baseline("writes", "f00d", rows[::-1])) == dump(Baseline("writes", "f00d", rows))


ACCEPTED = [
    pytest.param(
        b"a.py\tf\tx\t1\r\nb.py\tf\tx\t2\r\n", ["a.py", "b.py"], id="line-ends-of-an-autocrlf-checkout"
    ),
    pytest.param(b"\\x23a.py\tf\tx\t1\n", ["#a.py"], id="path-that-looks-like-a-comment"),
    pytest.param(b"a\\tb\\n.py\tf\tx\t1\n", ["a\tb\n.py"], id="path-with-tab-and-newline"),
    pytest.param(b"<<<<<<< a.py\tf\tx\t1\n", ["<<<<<<< a.py"], id="path-that-looks-like-a-conflict"),
    pytest.param(b"caf\\udce9.py\tf\tx\t1\n", ["caf\udce9.py"], id="path-that-is-no-utf-8"),
]


@pytest.mark.parametrize(("rows", "paths"), ACCEPTED)
def test_accepts(rows: bytes, paths: list[str]) -> None:
    assert [row.path for row in parse(HEADER.encode() + rows, "writes", "b.tsv").rows] == paths


REFUSED = [
    pytest.param(
        b"", f"b.tsv:1: expected a line break at the end, the file may be cut off: {GIT}", id="empty"
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\t12".encode(),
        f"b.tsv:4: expected a line break at the end, the file may be cut off: {GIT}",
        id="cut-off",
    ),
    pytest.param(
        f"{HEADER}<<<<<<< HEAD\na.py\tf\tx\t1\n=======\n>>>>>>> topic\n".encode(),
        f"b.tsv:4: holds a merge conflict: {TIGHTEN}",
        id="conflict",
    ),
    pytest.param(
        f"{HEADER}||||||| 3f2a1b0\n=======\n".encode(),
        f"b.tsv:4: holds a merge conflict: {TIGHTEN}",
        id="conflict-in-diff3-style",
    ),
    pytest.param(
        f"<<<<<<< HEAD\n{HEADER}=======\n{HEADER}>>>>>>> topic\n".encode(),
        f"b.tsv:1: holds a merge conflict: {TIGHTEN}",
        id="conflict-of-whole-files",
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\t1\n=======\n".encode(),
        f"b.tsv:5: holds a merge conflict: {TIGHTEN}",
        id="half-resolved",
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\t1\na.py\tf\tx\t1\n".encode(),
        f"b.tsv:5: repeats the row before it, expected one row with both counts: {GIT}",
        id="duplicate",
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\t1\na.py\tf\tx\t2\n".encode(),
        f"b.tsv:5: repeats the row before it, expected one row with both counts: {GIT}",
        id="duplicate-with-another-count",
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\t1\nb.py\tf\tx\t1\na.py\tg\tx\t1\n".encode(),
        f"b.tsv:6: is out of order, expected rows sorted by path, scope, code: {GIT}",
        id="unsorted",
    ),
    *(
        pytest.param(
            f"{HEADER}a.py\tf\tx\t{count}\n".encode(),
            f"b.tsv:4: expected a count of 1 or more in the fourth column, not {count[:20]!r}: {GIT}",
            id=f"count-{name}",
        )
        for count, name in [
            ("0", "zero"),
            ("-1", "negative"),
            ("01", "padded"),
            ("1.0", "fraction"),
            ("", "empty"),
            (" 1", "space"),
            ("\u0661", "arabic-digit"),
            ("9" * 5000, "huge"),
        ]
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\n".encode(),
        f"b.tsv:4: expected path, scope, code, count and perhaps a reason, not 3 columns: {GIT}",
        id="too-few-columns",
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\t1\twhy\tnot\n".encode(),
        f"b.tsv:4: expected path, scope, code, count and perhaps a reason, not 6 columns: {GIT}",
        id="too-many-columns",
    ),
    pytest.param(
        f"{HEADER}\n".encode(),
        f"b.tsv:4: expected path, scope, code, count and perhaps a reason, not 1 column: {GIT}",
        id="blank-line",
    ),
    pytest.param(
        f"{HEADER}a.py\tf\tx\t1\t\n".encode(),
        f"b.tsv:4: expected a reason, not an empty column: {GIT}",
        id="no-reason",
    ),
    pytest.param(
        f"{HEADER}\tf\tx\t1\n".encode(), f"b.tsv:4: expected a path, not an empty column: {GIT}", id="no-path"
    ),
    pytest.param(
        HEADER.replace("format 1", "format 2").encode(),
        "b.tsv:1: has format 2, this ratchet reads format 1: run `pip install --upgrade ratchet-lint`",
        id="newer-format",
    ),
    pytest.param(
        b"a.py\tf\tx\t1\n",
        f"b.tsv:1: expected '# ratchet baseline format 1', not 'a.py\\tf\\tx\\t1': {GIT}",
        id="no-header",
    ),
    pytest.param(
        b"# ratchet baseline format 1\na.py\tf\tx\t1\n",
        f"b.tsv:2: expected '# fingerprint' and the rule's fingerprint: {GIT}",
        id="no-fingerprint",
    ),
    pytest.param(
        b"# ratchet baseline format 1\n",
        f"b.tsv:2: expected '# fingerprint' and the rule's fingerprint: {GIT}",
        id="header-cut-off-after-a-line",
    ),
    pytest.param(
        b"# ratchet baseline format 1\n# fingerprint f00d\na.py\tf\tx\t1\n",
        f"b.tsv:3: expected the third line of the header, which starts with '# ': {GIT}",
        id="no-notice",
    ),
    pytest.param(HEADER.encode("utf-16"), f"b.tsv:1: expected UTF-8 text: {GIT}", id="utf-16"),
    pytest.param(
        HEADER.encode() + "a.py\tf\té\t1\n".encode("latin-1"),
        f"b.tsv:4: expected UTF-8 text: {GIT}",
        id="latin-1",
    ),
    pytest.param(
        HEADER.encode("utf-8-sig"),
        f"b.tsv:1: expected '# ratchet baseline format 1', not '\\ufeff# ratchet baseline format 1': {GIT}",
        id="byte-order-mark",
    ),
    pytest.param(
        f"{HEADER}a\\q.py\tf\tx\t1\n".encode(),
        f"b.tsv:4: holds a wrong escape (unknown escape '\\\\q'): {GIT}",
        id="wrong-escape",
    ),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_refuses(data: bytes, message: str) -> None:
    with pytest.raises(JudgeError) as error:
        parse(data, "writes", "b.tsv")
    assert str(error.value) == message


def test_loads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "writes.tsv"
    path.write_text(dump(baseline("a.py f x 2")), encoding="utf-8")
    assert load(path, "writes") == baseline("a.py f x 2")


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match=r"nothing\.tsv is not a regular file"):
        load(tmp_path / "nothing.tsv", "writes")


def test_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "writes.tsv")
    with pytest.raises(JudgeError, match="is not a regular file"):
        load(tmp_path / "writes.tsv", "writes")


NASTY = st.text(
    st.one_of(
        st.sampled_from("\t\n\r\\#<>=| \x00\x1b\x85\u2028\u202e\ufeff\udce9\ud800é数a"),
        st.characters(codec=None),
    ),
    max_size=8,
)
ROWS = st.lists(
    st.builds(Row, NASTY.filter(bool), NASTY, NASTY, st.integers(1, 10**9 - 1), NASTY),
    unique_by=lambda row: row.key,
    max_size=8,
)


@given(ROWS)
def test_reads_back_to_itself(rows: list[Row]) -> None:
    value = Baseline("writes", "f00d", tuple(sorted(rows)))
    text = dump(value)
    assert text.count("\n") == len(rows) + 3
    assert parse(text.encode("utf-8"), "writes", "b.tsv") == value
