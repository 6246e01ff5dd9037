"""From the accesses of a tree to a plan: each site of the chosen namespaces moves, or stays for a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.facts import FileFacts
from ratchet.codemod.edits import read_edit, skip_of, write_edit
from ratchet.codemod.enforced import refused_by_roles
from ratchet.codemod.handed import Handed, hold_functions, is_handed
from ratchet.codemod.inspection import Finding, homes_of, inspect
from ratchet.codemod.model import Edit, Plan, Refusal, Skip
from ratchet.codemod.outsiders import handed_from_outside
from ratchet.codemod.ownership import CHANGES, Ownership, Writer, settle
from ratchet.codemod.readers import NO_READERS, Readers, readers_of
from ratchet.codemod.screen import Screen
from ratchet.codemod.sites import PlanSite, Selection, sites_of
from ratchet.codemod.spelling import Speller
from ratchet.frozen import dataclass, replace
from ratchet.judge import deep_and_undisturbed
from ratchet.model import COMPUTED, Pack, Problem, ReadFile, Schema
from ratchet.roles.restricted import Restricted
from ratchet.syntax.document import read_document
from ratchet.wording import plural

WRITES_STAY = Refusal(
    "owner-elsewhere", "it writes the record's own value; --writes moves it together with its readers"
)
NOT_CHOSEN = Refusal("owner-elsewhere", "it lies outside of what this run is to move")
BORROWED = Refusal("borrowed", "the record is borrowed off another object; --chains moves it")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a plan is made for: the facts of a whole tree, with what they are judged by.

    `read` gives a file's bytes; only files are read in which something may move. `restricted` are the roles
    that may not read everything.
    """

    facts: Mapping[str, FileFacts]
    pack: Pack
    schema: Schema
    engine: str | None
    read: ReadFile
    restricted: tuple[Restricted, ...] = ()


@dataclass(frozen=True, slots=True)
class _Judged:
    """A site with what speaks against moving it by itself; a write that moves has its source.

    `function` is the outermost one around it. `tried` says that it was to move, and that a later stage
    refused it.
    """

    site: PlanSite
    refusal: Refusal | None
    source: str = ""
    function: str = ""
    tried: bool = False


def plan_tree(subject: Subject, selection: Selection) -> Plan:
    """The plan for a tree, in order of path and position.

    Who owns a field is seen in the whole tree only, so that `subject` holds all of it even where the
    selection names a part.
    """
    return Planner(subject, selection).plan({})


class Planner:
    """Plans one tree, again where a later stage refuses some edits: files are looked at once.

    `findings` are what an earlier planner of the same tree found in the text around its sites.
    """

    def __init__(
        self, subject: Subject, selection: Selection, findings: Mapping[str, Finding] | None = None
    ) -> None:
        self.findings: dict[str, Finding] = dict(findings or {})
        self._subject = subject
        self._selection = selection
        self._speller = Speller(subject.pack, subject.engine)
        self._homes = homes_of(subject.pack, subject.facts)
        self._screen = Screen(subject.pack, subject.schema, subject.engine, selection)
        self._judged = self._judge(sites_of(subject.facts, subject.pack, subject.engine))

    def plan(self, refused: Mapping[str, Refusal]) -> Plan:
        """The plan without the edits of these ids, and without what may not move when they do not."""
        judged = self._with_readers(
            replace(one, refusal=refused[one.site.id], tried=True) if one.site.id in refused else one
            for one in self._judged
        )
        writes = [one for one in judged if one.site.access.operation in CHANGES]
        ownership = settle(
            Writer(one.site, one.refusal, self._screen.is_separate(one.site)) for one in writes
        )
        final = _whole_functions([(one, self._final(one, ownership)) for one in judged])
        readers = readers_of(self._subject.facts, [(one.site, refusal) for one, refusal in final])
        dead = self._dead(final, readers)
        edits: list[Edit] = []
        skips: list[Skip] = []
        for one, refusal in final:
            if refusal is not None and self._selection.takes(one.site):
                skips.append(skip_of(one.site, refusal))
            elif refusal is None:
                found = readers.get(one.site.access.field or "", NO_READERS)
                edits.append(self._edit(one, found, id(one) in dead))
        return Plan(tuple(edits), tuple(skips), tuple(_notes(judged)))

    # What speaks against a site by itself

    def _judge(self, sites: Sequence[PlanSite]) -> tuple[_Judged, ...]:
        """Every site with what its access tells, and the candidates with what their files tell."""
        screened = [(site, self._screen.refuse(site) or self._unasked(site)) for site in sites]
        candidates: dict[str, list[PlanSite]] = {}
        for site, refusal in screened:
            if refusal is None and self._selection.takes(site):
                candidates.setdefault(site.path, []).append(site)
        findings, fresh = self.findings, list[PlanSite]()
        with deep_and_undisturbed():
            for path, found in candidates.items():
                if any(site.id not in findings for site in found):
                    findings.update(self._inspect(path, found))
                    fresh += found
            findings.update(self._handed_from_outside(fresh))
        for site, refusal in refused_by_roles(fresh, self._subject.restricted):
            if findings[site.id].refusal is None:
                findings[site.id] = replace(findings[site.id], refusal=refusal)
        nothing = Finding(None)
        return tuple(
            _Judged(site, refusal or finding.refusal, finding.source, finding.function)
            for site, refusal in screened
            for finding in (findings.get(site.id, nothing),)
        )

    def _unasked(self, site: PlanSite) -> Refusal | None:
        """Why a site stays that this run was not asked to move."""
        if site.access.operation in CHANGES:
            if not self._selection.writes:
                return WRITES_STAY
            return None if self._selection.takes(site) else NOT_CHOSEN
        wide = self._selection.chains or self._selection.writes
        return BORROWED if _is_borrowed(site) and not wide else None

    def _inspect(self, path: str, sites: Sequence[PlanSite]) -> Mapping[str, Finding]:
        data = self._subject.read(path)
        document = data if isinstance(data, Problem) else read_document(path, data)
        if isinstance(document, Problem):
            unread = Finding(Refusal("uncertain-text", f"{path} {document.message}"))
            return {site.id: unread for site in sites}
        return inspect(document, sites, self._subject.pack, self._subject.schema, self._homes)

    def _handed_from_outside(self, sites: Iterable[PlanSite]) -> Mapping[str, Finding]:
        """The findings of reads in functions to which code that is no part of this hands its own record."""
        functions = {
            site.id: (site.path, self.findings[site.id].function)
            for site in sites
            if is_handed(site) and site.access.operation not in CHANGES and not self.findings[site.id].refusal
        }
        subject = self._subject
        held = handed_from_outside(
            frozenset(functions.values()), subject.pack, subject.engine, subject.facts, subject.read
        )
        return {
            each: replace(self.findings[each], refusal=held[function])
            for each, function in functions.items()
            if function in held
        }

    # What is decided field by field

    def _with_readers(self, judged: Iterable[_Judged]) -> list[_Judged]:
        """The same, where a write stays whose readers this run does not take along."""
        judged = list(judged)
        left: dict[str | None, Refusal] = {}
        for one in judged:
            name, reads = one.site.access.field, one.site.access.operation not in CHANGES
            if name is not None and reads and self._is_left(one):
                left.setdefault(name, _left_behind(one))
        return [
            replace(one, refusal=left[one.site.access.field])
            if one.refusal is None and one.site.access.operation in CHANGES and one.site.access.field in left
            else one
            for one in judged
        ]

    def _is_left(self, one: _Judged) -> bool:
        """Whether a reader could move by the rules, and this run does not move it."""
        return one.tried or (one.refusal is None and not self._selection.takes(one.site))

    def _final(self, one: _Judged, ownership: Ownership) -> Refusal | None:
        """Why a site stays in the end."""
        access = one.site.access
        if one.refusal is not None:
            return one.refusal
        if not self._selection.takes(one.site):
            return NOT_CHOSEN
        held = ownership.refuse(access.field)
        if held is not None:
            return held
        if _is_borrowed(one.site) and not (self._selection.chains or ownership.moves(access.field)):
            return BORROWED
        return None

    def _dead(
        self, final: Iterable[tuple[_Judged, Refusal | None]], readers: Mapping[str, Readers]
    ) -> frozenset[int]:
        """The writes that are deleted: nothing reads them, and their statement writes nothing else."""
        calls: dict[object, list[_Judged]] = {}
        for one, refusal in final:
            if self._selection.delete_dead and refusal is None and one.site.access.operation in CHANGES:
                calls.setdefault((one.site.path, one.site.access.span), []).append(one)
        return frozenset(
            id(one)
            for written in calls.values()
            if not any((one.site.access.field or "") in readers for one in written)
            for one in written
        )

    def _edit(self, one: _Judged, readers: Readers, is_dead: bool) -> Edit:
        if one.site.access.operation not in CHANGES:
            return read_edit(one.site, self._speller)
        edit = write_edit(one.site, one.source, self._speller, readers.note())
        return replace(edit, after="", note="nothing reads the field: it is deleted") if is_dead else edit


def _whole_functions(
    final: Sequence[tuple[_Judged, Refusal | None]],
) -> list[tuple[_Judged, Refusal | None]]:
    """The same, where reads of a handed record stay unless all of their function's move."""
    handed = [Handed(one.site, one.function, why) for one, why in final if is_handed(one.site)]
    held = hold_functions(handed)
    return [(one, why or held.get(one.site.id)) for one, why in final]


def _is_borrowed(site: PlanSite) -> bool:
    """Whether a site reads the record off another object."""
    access = site.access
    return access.root == "chain" and access.origin != "global" and access.operation not in CHANGES


def _left_behind(reader: _Judged) -> Refusal:
    place = f"{reader.site.path}:{reader.site.access.span.line}"
    if reader.refusal is not None:
        return Refusal(
            "owner-elsewhere", f"a reader cannot be rewritten, at {place} ({reader.refusal.reason})"
        )
    return Refusal("owner-elsewhere", f"a reader lies outside of what is selected, at {place}")


def _notes(judged: Sequence[_Judged]) -> Iterator[str]:
    computed = [
        one.site
        for one in judged
        if one.site.access.operation in CHANGES and one.site.access.field == COMPUTED
    ]
    if computed:
        places = ", ".join(f"{site.path}:{site.access.span.line}" for site in computed)
        one = "write computes the name of its field and holds none"
        several = "writes compute the name of their field and hold none"
        yield f"{plural(len(computed), one, several)}: {places}"
