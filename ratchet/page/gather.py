"""Everything that the page shows, out of the verbs that know it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ratchet.checking.check import Checked, Request, check, count
from ratchet.checking.flow import findings_in
from ratchet.checking.migration import plan_migration
from ratchet.checking.owning import no_owners
from ratchet.checking.rewriting import rewrite_all
from ratchet.checking.roles import show_roles
from ratchet.codemod.hunks import Hunk, hunks_of
from ratchet.codemod.model import Edit, Rewritten, Skip
from ratchet.errors import RatchetError, UsageError
from ratchet.flow.model import Finding
from ratchet.history.left import WIDEST, Left, Leftover, left_of
from ratchet.history.model import History
from ratchet.history.status import status_of
from ratchet.history.story import Request as StoryRequest
from ratchet.history.story import tell
from ratchet.model import Rule, Verdict
from ratchet.page.model import Missing, Page, Rewrite, Shown, Wanted
from ratchet.report.context import State, states
from ratchet.roles.model import Report
from ratchet.session import Session
from ratchet.source.lines import line_reader
from ratchet.wording import NO_FILES

AROUND = 2
"""How many lines before and behind a site are shown."""

_LONGEST = 24

_Lines = Callable[[str], Sequence[str]]


def gather(session: Session, wanted: Wanted) -> Page:
    """The page of the tree on disk.

    Raises UsageError for rules that there are not, and JudgeError for what keeps a check from judging
    anything; what keeps one part of the page from being known is `Missing` there.
    """
    rules = session.choose(wanted.rules)
    checked, unbased = _checked(session, wanted)
    migration, rewritten = rewrite_all(session, plan_migration(session, WIDEST), dropping=False)
    left = left_of(session, checked.verdict, migration)
    rewrites = dict(_rewrites(rewritten))
    ownerless = no_owners(session)
    return Page(
        verdict=checked.verdict,
        unbased=unbased,
        ownerless=Missing(ownerless) if ownerless else None,
        status=status_of(session, left),
        sites=tuple(_sites(left, unbased, line_reader(checked.source), rewrites)),
        rewrites=rewrites,
        history=_history(session, wanted),
        findings=_findings(session, rules, checked.verdict),
        roles=_roles(session, wanted),
    )


def _checked(session: Session, wanted: Wanted) -> tuple[Checked, Missing | None]:
    """The verdict against the baselines; where a rule has none, the counts, and why nothing is compared."""
    try:
        return check(session, Request(rules=wanted.rules, today=wanted.today)), None
    except UsageError as error:
        return count(session, wanted.rules), Missing(str(error))


def _history(session: Session, wanted: Wanted) -> History | Missing:
    try:
        told = tell(session, StoryRequest(wanted.rules))
    except RatchetError as error:
        return Missing(str(error))
    if not any(series.steps for series in told.series):
        return Missing("no commit of this branch holds a baseline of these rules: commit what `adopt` wrote")
    return told


def _findings(
    session: Session, rules: Sequence[Rule], verdict: Verdict
) -> tuple[tuple[Rule, Finding], ...] | Missing:
    flows = [rule for rule in rules if rule.kind == "flow"]
    if not flows:
        return Missing("no rule of the kind flow was asked for, or the packs have none")
    if verdict.census.found_nothing:
        return Missing(NO_FILES)
    skipped = {entry.rule.id: entry.skipped for entry in verdict.rules if entry.skipped}
    if all(rule.id in skipped for rule in flows):
        return Missing(f"the rules of the kind flow do not apply: {skipped[flows[0].id]}")
    try:
        return findings_in(session, flows)
    except RatchetError as error:
        return Missing(str(error))


def _roles(session: Session, wanted: Wanted) -> Report | Missing:
    if not (wanted.roles or wanted.audits):
        return Missing("nobody asked for them: run `ratchet report --roles`, which takes longer")
    try:
        report = show_roles(session, wanted.audits).report
    except UsageError:
        raise
    except RatchetError as error:
        return Missing(str(error))
    return report or Missing("nothing is known of them")


# Sites


def _sites(
    left: Leftover, unbased: Missing | None, lines_of: _Lines, rewrites: Mapping[str, Rewrite]
) -> Iterator[Shown]:
    for entry, sites in left.rules:
        state = states(entry)
        for each in sites:
            path = each.site.path
            own = entry.rule.own_codemod is not None  # which is none of the migration's lines
            hunks = rewrites[path].hunks if path in rewrites and not own else ()
            yield _shown(each, None if unbased else state(each.site), lines_of(path), hunks)


def _shown(left: Left, state: State | None, lines: Sequence[str], hunks: Sequence[Hunk]) -> Shown:
    span = left.site.span
    start = max(span.line - AROUND, 1)
    end = min(span.end_line + AROUND, start + _LONGEST)
    edits = [entry for entry in left.entries if isinstance(entry, Edit)]
    skips = [entry for entry in left.entries if isinstance(entry, Skip)]
    details = [f"{entry.reason}: {entry.detail}" for entry in skips]
    if edits and not hunks:
        details += [_by_rule(left.site.rule, edit) for edit in edits]
    return Shown(
        left=left,
        state=state,
        start=start,
        lines=tuple(lines[start - 1 : end]),
        hunks=tuple(at for at, hunk in enumerate(hunks) if any(_is_in(edit, hunk) for edit in edits)),
        details=tuple(dict.fromkeys(details)),
    )


def _by_rule(rule: str, edit: Edit) -> str:
    """What the codemod of a rule makes of a site, in a sentence."""
    made = f"makes it {edit.after}" if edit.after else "takes it away"
    return f"`ratchet migrate --rule {rule}` {made}"


def _rewrites(rewritten: Iterable[Rewritten]) -> Iterator[tuple[str, Rewrite]]:
    for file in rewritten:
        hunks = hunks_of(file)
        along = (at for at, hunk in enumerate(hunks) if not any(_is_in(edit, hunk) for edit in file.edits))
        yield file.path, Rewrite(hunks, tuple(along))


def _is_in(edit: Edit, hunk: Hunk) -> bool:
    return hunk.touches(edit.span.line, edit.span.end_line)
