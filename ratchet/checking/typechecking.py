"""The type check of rewritten files: which edits it speaks against, and in whose words.

Each file is checked as it was and as it becomes, and only what is new counts. A field has one type in the
record and in its namespace, so a read that moves makes no wrong value; what it may make is a wrong name: a
namespace that has no such field. Beside the files go all expressions that take the place of sites, each with
the type that the schema gives its field, and the values that moved writes hand over count too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Literal

from ratchet.analysis.lines import Lines
from ratchet.codemod.model import Drop, Edit, Refusal, Rewritten
from ratchet.codemod.shifts import Shifts
from ratchet.codemod.spelling import Speller
from ratchet.errors import RatchetError
from ratchet.frozen import dataclass
from ratchet.model import Problem
from ratchet.stubs import generate_stubs, read_templates, write_stubs
from ratchet.stubs.bags import bags_of
from ratchet.syntax.document import text_of
from ratchet.tree import Tree
from ratchet.typecheck import NAME_RULES, TIMEOUT, TypeProblem, check_files

Status = Literal["not run", "clean", "unverified"]

_PROBES = "#probes"
_NAMES = frozenset(NAME_RULES) - {"deprecated"}  # what stays on the record is no wrong rewrite
_VALUES = frozenset({"invalid-argument-type"})
_KEYWORD = re.compile(r"(\w+)\s*=")
_PREAMBLE = "from collections.abc import Callable\nfrom typing import Any, Literal\n"


@dataclass(frozen=True, slots=True)
class TypeCheck:
    """How a type check ended: `detail` says why it was not run or not done; `sites` were checked."""

    status: Status
    detail: str = ""
    sites: int = 0


NOT_RUN = TypeCheck("not run")


@dataclass(frozen=True, slots=True)
class Objections:
    """What a checker speaks against, in its own words: edits by their ids, and what dead parameters take
    along."""

    edits: Mapping[str, Refusal]
    drops: Mapping[Drop, Refusal]

    def __bool__(self) -> bool:
        return bool(self.edits or self.drops)


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks rewritten files against stubs that lie in a folder; `types` are those of fields, by name.

    `accessors` are the dotted names that the stubs declare: those that the files call are tried with a
    canary.
    """

    stubs: Path
    types: Mapping[str, str]
    accessors: frozenset[str]
    timeout: float = TIMEOUT

    def objections(self, rewritten: Sequence[Rewritten]) -> Objections:
        """What the checker speaks against. Raises as `check_files`."""
        edits = [edit for file in rewritten for edit in file.edits]
        if not edits:
            return Objections({}, {})
        compared = [_Compared(file) for file in rewritten]
        probes = _Probes(edits, self.types)
        files = {f"old/{file.path}": one.old for file, one in zip(rewritten, compared, strict=True)}
        files |= {f"new/{file.path}": one.new for file, one in zip(rewritten, compared, strict=True)}
        called = {f"{item.module}.{item.name}" for edit in edits for item in edit.accessors}
        accessors = sorted(called & self.accessors)
        found: dict[str, list[TypeProblem]] = {}
        texts = {**files, _PROBES: probes.text}
        for problem in check_files(texts, self.stubs, accessors, self.timeout):
            found.setdefault(problem.path, []).append(problem)
        refused: dict[str, Refusal] = {}
        dropped: dict[Drop, Refusal] = {}
        for file, one in zip(rewritten, compared, strict=True):
            before, after = found.get(f"old/{file.path}", []), found.get(f"new/{file.path}", [])
            for problem, blamed in one.new_problems(before, after):
                for item in blamed:
                    if isinstance(item, Drop):
                        dropped.setdefault(item, _refusal(problem))
                    else:
                        refused.setdefault(item.id, _refusal(problem))
        for problem in found.get(_PROBES, ()):
            for edit in probes.edits_of(problem.line):
                refused.setdefault(edit.id, _refusal(problem))
        return Objections(refused, dropped)


@contextmanager
def checker_of(tree: Tree, timeout: float = TIMEOUT) -> Iterator[Checker]:
    """A checker with the stubs of a tree's own schema. Raises JudgeError where they cannot be generated."""
    import tempfile

    pack = tree.pack
    templates = read_templates(Path(pack.folder))
    modules: dict[str, bytes] = {}
    for path in templates:
        place = path.removeprefix(f"{pack.package}/").removesuffix("i")
        source = tree.source.read(place)
        if not isinstance(source, Problem):
            modules[path] = source
    stubs = generate_stubs(tree.schema, pack.namespaces, templates, modules, tree.engine)
    leaves = [leaf for bag in bags_of(tree.schema, pack.namespaces).values() for leaf in bag.leaves]
    with tempfile.TemporaryDirectory(prefix="ratchet-stubs-") as folder:
        write_stubs(stubs, Path(folder))
        types = {name: kind.text for name, kind in leaves}
        yield Checker(Path(folder), types, Speller(pack, tree.engine).accessors(), timeout)


def unverified(error: RatchetError) -> TypeCheck:
    """What is said of a type check that could not be done."""
    return TypeCheck("unverified", str(error))


def _refusal(problem: TypeProblem) -> Refusal:
    return Refusal("type-error", f"{problem.rule}: {problem.message}")


class _Probes:
    """A module that assigns each read expression to a variable of its field's type, one a line."""

    def __init__(self, edits: Iterable[Edit], types: Mapping[str, str]) -> None:
        self._lines: dict[str, list[Edit]] = {}
        for edit in edits:
            writes = edit.operation == "write"
            value, accessor = (edit.reading, edit.reading_accessor) if writes else (edit.after, edit.accessor)
            # What a rule's own codemod writes is of no field's type.
            if value and accessor is not None and edit.field in types and edit.uses is None:
                source = f"from {accessor.module} import {accessor.name}"
                line = f"{source}; probe_{edit.field}: {types[edit.field]} = {value}"
                self._lines.setdefault(line, []).append(edit)

    @property
    def text(self) -> str:
        return _PREAMBLE + "\n".join([*self._lines, ""])

    def edits_of(self, line: int) -> list[Edit]:
        listed = list(self._lines.values())
        at = line - 1 - _PREAMBLE.count("\n")
        return listed[at] if 0 <= at < len(listed) else [edit for edits in listed for edit in edits]


class _Compared:
    """A file's two texts, and what lies where in both."""

    def __init__(self, file: Rewritten) -> None:
        self.old, self.new = text_of(file.old), text_of(file.new)
        self._file = file
        self._shifts = Shifts(file.changes)

    def new_problems(
        self, before: Iterable[TypeProblem], after: Iterable[TypeProblem]
    ) -> Iterator[tuple[TypeProblem, Sequence[Edit | Drop]]]:
        """The problems that the old text does not have, each with the changes that it speaks against."""
        known = {(problem.rule, _offset(self._old_lines, problem)) for problem in before}
        for problem in after:
            offset = _offset(self._new_lines, problem)
            start, end = self._shifts.before(offset)
            if start == end and (problem.rule, start) in known:
                continue
            touched = self._touched(start, end)
            if problem.rule in _NAMES:
                yield problem, self._blamed(problem, touched, self._old_lines.line_of(start))
            elif problem.rule in _VALUES:
                # The values of `**rest` are not told apart: of a keyword, it is known which field it is.
                keyword = _KEYWORD.match(self.new, offset)
                written = [edit for edit in touched if keyword and edit.field == keyword.group(1)]
                if written:
                    yield problem, written

    @cached_property
    def _old_lines(self) -> Lines:
        return Lines(self.old)

    @cached_property
    def _new_lines(self) -> Lines:
        return Lines(self.new)

    def _touched(self, start: int, end: int) -> list[Edit]:
        """The edits whose sites a range of the old text touches."""
        return [
            edit
            for edit, first, last in self._spans
            if first <= start < last or (start <= first < end and start < last)
        ]

    @cached_property
    def _spans(self) -> list[tuple[Edit, int, int]]:
        starts = self._old_lines.starts
        return [
            (
                edit,
                starts[edit.span.line - 1] + edit.span.column - 1,
                starts[edit.span.end_line - 1] + edit.span.end_column - 1,
            )
            for edit in self._file.edits
        ]

    def _blamed(
        self, problem: TypeProblem, touched: Sequence[Edit], line: int
    ) -> Sequence[Edit] | Sequence[Drop]:
        """The edits that a problem speaks against: those that it names, where it names any; else, where it
        touches none, the parameters and arguments next to its line that go."""
        edits = list(touched or self._file.edits)
        names = [edit for edit in edits if edit.field in problem.message]
        named = names or [e for e in edits if any(item.name in problem.message for item in e.accessors)]
        return named or (() if touched else self._nearest_drops(line)) or edits

    def _nearest_drops(self, line: int) -> list[Drop]:
        far = [abs(drop.span.line - line) for drop in self._file.drops]
        return [drop for drop, lines in zip(self._file.drops, far, strict=True) if lines == min(far)]


def _offset(lines: Lines, problem: TypeProblem) -> int:
    at = min(problem.line, len(lines.starts)) - 1
    return lines.starts[at] + problem.column - 1
