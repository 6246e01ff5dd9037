"""One file with all that is sure rewritten, imports first, then expressions; and what is left to be found.

Whether a finding can be rewritten is not guessed: the new text is judged as the old one was, and a finding
that is there still is one that `--write` leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ratchet.codemod.inspection import refuse_file
from ratchet.codemod.model import Rewritten, Skip
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite_document
from ratchet.codemod.style import Style
from ratchet.frozen import dataclass, replace
from ratchet.model import Problem
from ratchet.surface import Release
from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.expressions import OTHER_USES, ExpressionPlanner, Expressions
from ratchet.upgrade.fate import Judge
from ratchet.upgrade.imports import rewrite_moved
from ratchet.upgrade.model import Finding
from ratchet.upgrade.records import OUTSIDE, Records
from ratchet.upgrade.uses import Uses

Exported = Callable[[str, str, str], bool]
"""Whether a name (the third) of a module (the second, dotted) is imported by a file other than the first."""
_Change = tuple[int, int, str]
_Key = tuple[str, str, int]
"""A finding in one version of a file: its kind, what it names, and its offset."""
_Told = dict[_Key, str]
"""Why a finding stays, or what is written in its place."""
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Settled:
    """A file's findings, each with what becomes of it, and the file as `--write` makes it."""

    findings: tuple[Finding, ...]
    rewritten: Rewritten | None = None
    problem: Problem | None = None


class Rewriter:
    """Rewrites files for the newer engine of a judge; `both` is the older one, where it must work too."""

    def __init__(
        self, judge: Judge, records: Records, own: Callable[[str], bool], exported: Exported, both: bool
    ) -> None:
        self.judge = judge
        self.records = records
        self.own = own
        self.exported = exported
        self.both: Release | None = judge.old if both else None
        self._planner = ExpressionPlanner(judge, records, self.both)

    def find(self, document: Document) -> list[Finding]:
        """The findings in one file, in order of place."""
        found = self.judge.findings(Uses(document, self.judge.pack.package).all(), self.own)
        found += self.records.findings(document.path, self.records.accesses(document), self.own)
        return sorted(found, key=lambda one: (one.span.line, one.span.column, one.kind, one.what))

    def settle(self, document: Document, data: bytes, length: int) -> Settled:
        """The findings of a file, and the file rewritten; a problem where the new text cannot be proved."""
        findings = self.find(document)
        if not any(finding.sure for finding in findings):
            return Settled(tuple(findings))
        generated = refuse_file(document)
        if generated is not None:
            return Settled(tuple(_stays(finding, generated.detail) for finding in findings))
        moved = rewrite_moved(document, data, findings, self.both, length)
        if isinstance(moved, Problem):
            return Settled(tuple(findings), None, moved)
        middle = moved.new if moved is not None else data
        between = read_document(document.path, middle)
        assert isinstance(between, Document), "it was proved to parse"
        written, why, problem = self._expressions(between, middle, length)
        changes = [one.changes for one in (moved, written) if one is not None]
        if not changes:
            kept = [_stays(one, _why(why, one, _start(document, one), ())) for one in findings]
            return Settled(tuple(kept), None, problem)
        new = written.new if written is not None else middle
        after = read_document(document.path, new)
        assert isinstance(after, Document), "it was proved to parse"
        left = [(one.kind, one.what, _start(after, one)) for one in self.find(after)]
        imports = [moved.changes] if moved is not None else []
        settled: list[Finding] = []
        for finding in findings:
            start = _start(document, finding)
            told = _why(why, finding, start, imports)
            if _is_left(finding, start, changes, left):
                settled.append(_stays(finding, told))
            elif finding.kind == "call" and told:
                settled.append(replace(finding, rewritable=True, instead=told, advice=f"write {told}"))
            elif finding.kind == "import" and finding.change != "moved":
                settled.append(replace(finding, rewritable=True, advice="it goes with its last use"))
            else:
                settled.append(replace(finding, rewritable=True))
        return Settled(tuple(settled), Rewritten(document.path, data, new, ()), problem)

    # Expressions

    def _expressions(
        self, document: Document, data: bytes, length: int
    ) -> tuple[Rewritten | None, _Told, Problem | None]:
        """A file with its expressions rewritten, and by kind and name why others stay."""
        inside = read_document(f"{OUTSIDE}/{document.path}", data)
        assert isinstance(inside, Document), "it was parsed before"
        plan = self._planner.plan(inside, data, self.find(document))
        style = Style(
            self.judge.pack.package,
            frozenset(name for item in self.judge.pack.objects for name in item.accessors),
            length,
            exported=lambda module, name: self.exported(document.path, module, name),
        )
        made: Rewritten | None = None
        problem: Problem | None = None
        for _ in range(_ROUNDS):
            before = len(plan.edits)
            made, problem = self._attempt(inside, data, plan, style)
            if len(plan.edits) == before:
                break
        told = {finding: edit.after for edit, finding in plan.edits} | plan.stays
        why: _Told = {
            (one.kind, one.what, _start(inside, one)): text.replace(inside.path, document.path)
            for one, text in told.items()
        }
        return made, why, problem and Problem(document.path, problem.line, problem.message)

    def _attempt(
        self, document: Document, data: bytes, plan: Expressions, style: Style
    ) -> tuple[Rewritten | None, Problem | None]:
        """One try; what it cannot do, or what would not be done with its whole call, leaves the plan."""
        if not plan.edits:
            return None, None
        outcome = rewrite_document(document, data, [edit for edit, _ in plan.edits], style)
        for skip in outcome.skips:
            for finding in _of(plan, skip):
                plan.drop(finding, skip.detail)
        made = outcome.rewritten
        if outcome.skips or made is None:
            return None, None
        failed = prove(made, style, old=document)
        if failed:
            for _, finding in list(plan.edits):
                plan.drop(finding, f"the rewritten file failed its proof: {failed[0].message}")
            return None, failed[0]
        after = read_document(document.path, made.new)
        assert isinstance(after, Document), "it was proved to parse"
        self._drop_halves(document, plan, made, after)
        self._drop_escaped(document, plan, after)
        return made, None

    def _drop_halves(self, document: Document, plan: Expressions, made: Rewritten, after: Document) -> None:
        """Leave alone reads of a record that is used in another way too: its call would go on to fail."""
        left = [(one.kind, one.what, _start(after, one)) for one in self.find(after)]
        for finding in {finding for _, finding in plan.edits}:
            if _is_left(finding, _start(document, finding), [made.changes], left):
                plan.drop(finding, OTHER_USES)

    def _drop_escaped(self, document: Document, plan: Expressions, after: Document) -> None:
        """Leave alone what would lose the `try` that catches a missing import."""
        before = Uses(document, self.judge.pack.package).all()
        known = {(use.dotted, use.guarded) for use in before}
        added = [
            use for use in Uses(after, self.judge.pack.package).all()
            if use.kind == "import" and not use.guarded and (use.dotted, False) not in known
        ]  # fmt: skip
        names = {use.dotted for use in added}
        tried = {use.dotted for use in before if use.kind in ("import", "module") and use.guarded}
        for edit, finding in list(plan.edits):
            made = {f"{item.module}.{item.name}" for item in edit.accessors}
            if made & names and any(
                finding.what == name or finding.what.startswith(f"{name}.") for name in tried
            ):
                plan.drop(finding, "its import would leave the `try` that catches that it is missing")


def _of(plan: Expressions, skip: Skip) -> list[Finding]:
    return [finding for edit, finding in plan.edits if edit.id == skip.id]


def _start(document: Document, finding: Finding) -> int:
    return document.lines.starts[finding.span.line - 1] + finding.span.column - 1


def _why(why: _Told, finding: Finding, start: int, changes: Sequence[Sequence[_Change]]) -> str:
    """The reason of a finding out of those for a text whose imports were changed; empty for none."""
    first, last = _range(start, changes)
    for (kind, what, at), text in why.items():
        if (kind, what) == (finding.kind, finding.what) and first <= at <= last:
            return text
    return ""


def _stays(finding: Finding, why: str) -> Finding:
    """A finding that `--write` leaves alone; a reason is owed only where it is sure what to write."""
    if not finding.sure:
        return finding
    return replace(finding, kept=why or _plain_reason(finding))


def _plain_reason(finding: Finding) -> str:
    if finding.kind == "import" and finding.change == "moved":
        return "its statement holds a comment or shares its line"
    if finding.kind == "import":
        return "it is still used, or others may import it from here"
    return "it is no call whose place the new spelling can take"


def _is_left(
    finding: Finding, start: int, changes: Sequence[Sequence[_Change]], left: Iterable[tuple[str, str, int]]
) -> bool:
    """Whether a finding is there still, at the place that changed texts have moved it to."""
    first, last = _range(start, changes)
    return any(
        (kind, what) == (finding.kind, finding.what) and first <= at <= last for kind, what, at in left
    )


def _range(start: int, changes: Sequence[Sequence[_Change]]) -> tuple[int, int]:
    """Where an offset is after several changes, one upon the other."""
    first = last = start
    for one in changes:
        first, last = _mapped(first, one)[0], _mapped(last, one)[1]
    return first, last


def _mapped(offset: int, changes: Sequence[_Change]) -> tuple[int, int]:
    """Where an offset is after some changes: a range, where the text around it was changed."""
    shift = 0
    for start, end, text in sorted(changes):
        if start <= offset < end:
            return start + shift, start + shift + len(text)
        if start > offset:
            break
        shift += len(text) - (end - start)
    return offset + shift, offset + shift
