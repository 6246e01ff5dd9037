"""The text of a baseline: one TSV file a rule, one row a site identity.

    # ratchet baseline format 1
    # fingerprint 5f0c2a
    # Kept by `ratchet tighten`, raised only by `ratchet allow RULE PATH --reason WHY`, never edited.
    srt/engine.py<TAB>Engine.start<TAB>self.server_args.override(x)<TAB>1[<TAB>reason]

No line numbers, no totals and no dates: a row changes only when its own sites do, so that two branches that
remove different sites rarely touch the same line.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from ratchet.errors import JudgeError
from ratchet.escape import display_path, escape_field, unescape_field
from ratchet.model import Baseline, Row
from ratchet.wording import plural

FORMAT = 1

_HEADER = f"# ratchet baseline format {FORMAT}\n# fingerprint {{}}\n"
_NOTICE = (
    "# Kept by `ratchet tighten`, raised only by `ratchet allow RULE PATH --reason WHY`, never edited.\n"
)
_FORMAT_LINE = re.compile(r"# ratchet baseline format ([0-9]{1,9})")
_FINGERPRINT_LINE = re.compile(r"# fingerprint (\S+)")
_COUNT = re.compile(r"[1-9][0-9]{0,8}")
_CONFLICT = re.compile(r"(?:<{7}|\|{7}|>{7})(?: [^\t]*)?|={7}")
_FIRST_ROW = 4


def load(path: Path, rule: str) -> Baseline:
    """The baseline of `rule` in a file; raises JudgeError where there is none to read, or a damaged one."""
    shown = display_path(str(path))
    try:
        if not path.is_file():
            # Opening a pipe would wait for ever.
            raise JudgeError(f"{shown} is not a regular file: a baseline is one; {_restore(shown)}")
        data = path.read_bytes()
    except OSError as error:
        raise JudgeError(
            f"{shown} cannot be read ({error.strerror}): make it readable, then run again"
        ) from error
    return parse(data, rule, shown)


def parse(data: bytes, rule: str, where: str) -> Baseline:
    """The baseline in `data`, named `where` in errors: JudgeError with file, line and what was expected."""
    lines = _lines(data, where)
    _refuse_conflict(lines, rule, where)
    fingerprint = _read_header(lines, where)
    rows = [_row(line, where, number) for number, line in enumerate(lines[_FIRST_ROW - 1 :], _FIRST_ROW)]
    _refuse_disorder(rows, where)
    return Baseline(rule, fingerprint, tuple(rows))


def dump(baseline: Baseline) -> str:
    """The text of a baseline; equal baselines give equal bytes once it is encoded as UTF-8."""
    return (
        _HEADER.format(baseline.fingerprint) + _NOTICE + "".join(_line(row) for row in sorted(baseline.rows))
    )


def _line(row: Row) -> str:
    columns = [escape_field(row.path), escape_field(row.scope), escape_field(row.code), str(row.count)]
    if row.reason:
        columns.append(escape_field(row.reason))
    return "\t".join(columns) + "\n"


def _lines(data: bytes, where: str) -> list[str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _fault(where, line, "expected UTF-8 text", _restore(where)) from error
    if not text.endswith("\n"):
        last = text.count("\n") + 1
        raise _fault(
            where, last, "expected a line break at the end, the file may be cut off", _restore(where)
        )
    # Only "\n" ends a row; "\r" before it is what git writes in a checkout with core.autocrlf.
    return [line.removesuffix("\r") for line in text[:-1].split("\n")]


def _refuse_conflict(lines: list[str], rule: str, where: str) -> None:
    for number, line in enumerate(lines, 1):
        if line[:1] in "<|>=" and _CONFLICT.fullmatch(line):
            raise _fault(
                where,
                number,
                "holds a merge conflict",
                f"run `ratchet tighten {rule}` while git lists it as unmerged, which merges both sides row by"
                f" row; where the markers are committed, take the file of one side with"
                f" `git checkout HEAD^1 -- {where}`, then run it",
            )


def _read_header(lines: list[str], where: str) -> str:
    version = _FORMAT_LINE.fullmatch(lines[0])
    if not version:
        expected = f"expected '# ratchet baseline format {FORMAT}', not {lines[0][:60]!r}"
        raise _fault(where, 1, expected, _restore(where))
    if int(version[1]) != FORMAT:
        raise _fault(
            where,
            1,
            f"has format {version[1]}, this ratchet reads format {FORMAT}",
            "run `pip install --upgrade ratchet-lint`",
        )
    fingerprint = _FINGERPRINT_LINE.fullmatch(lines[1]) if len(lines) > 1 else None
    if not fingerprint:
        raise _fault(where, 2, "expected '# fingerprint' and the rule's fingerprint", _restore(where))
    if len(lines) < _FIRST_ROW - 1 or not lines[2].startswith("# "):
        raise _fault(
            where, 3, "expected the third line of the header, which starts with '# '", _restore(where)
        )
    return fingerprint[1]


def _row(line: str, where: str, number: int) -> Row:
    columns = line.split("\t")
    if len(columns) not in (4, 5):
        found = plural(len(columns), "column")
        expected = f"expected path, scope, code, count and perhaps a reason, not {found}"
        raise _fault(where, number, expected, _restore(where))
    if not _COUNT.fullmatch(columns[3]):
        expected = f"expected a count of 1 or more in the fourth column, not {columns[3][:20]!r}"
        raise _fault(where, number, expected, _restore(where))
    if not columns[0] or not columns[-1]:
        empty = "path" if not columns[0] else "reason"
        raise _fault(where, number, f"expected a {empty}, not an empty column", _restore(where))
    count = int(columns.pop(3))
    if "\\" in line:
        columns = [_unescaped(column, where, number) for column in columns]
    return Row(columns[0], columns[1], columns[2], count, columns[3] if len(columns) > 3 else "")


def _unescaped(column: str, where: str, number: int) -> str:
    try:
        return unescape_field(column)
    except ValueError as error:
        raise _fault(where, number, f"holds a wrong escape ({error})", _restore(where)) from error


def _refuse_disorder(rows: list[Row], where: str) -> None:
    keys = [row.key for row in rows]
    for number, (before, after) in enumerate(pairwise(keys), _FIRST_ROW + 1):
        if before < after:
            continue
        if before == after:
            raise _fault(
                where, number, "repeats the row before it, expected one row with both counts", _restore(where)
            )
        raise _fault(
            where, number, "is out of order, expected rows sorted by path, scope, code", _restore(where)
        )


def _fault(where: str, line: int, what: str, command: str) -> JudgeError:
    return JudgeError(f"{where}:{line}: {what}: {command}")


def _restore(where: str) -> str:
    return f"restore it with `git checkout HEAD -- {where}`, then run `ratchet tighten`"
