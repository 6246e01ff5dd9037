"""From the accesses of a tree to a plan: each site of the chosen namespaces moves, or stays for a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.facts import FileFacts
from ratchet.codemod.document import read_document
from ratchet.codemod.inspection import Inspection, inspect
from ratchet.codemod.model import Edit, Plan, Skip
from ratchet.codemod.ownership import CHANGES, Ownership, Writer, listed, settle
from ratchet.codemod.screen import Refusal, Screen
from ratchet.codemod.sites import PlanSite, Selection, sites_of
from ratchet.codemod.spelling import Speller
from ratchet.codemod.writes import source_of
from ratchet.frozen import dataclass
from ratchet.model import COMPUTED, Pack, Problem, Schema

ReadFile = Callable[[str], "bytes | Problem"]

WRITES_STAY = Refusal("owner-elsewhere", "it writes the record's own value; --writes moves it with its readers")
BORROWED = Refusal("borrowed", "the record is borrowed off another object; --chains moves it")
NOT_CHOSEN = Refusal("owner-elsewhere", "it is not among the sites that this run may move")


def plan_tree(
    facts: Mapping[str, FileFacts],
    pack: Pack,
    schema: Schema,
    engine: str | None,
    selection: Selection,
    read: ReadFile,
) -> Plan:
    """The plan for a tree, in order of path and position.

    `facts` are those of the whole tree, even where the selection names a part: who owns a field is seen only
    there. `read` gives a file's bytes; only files are read in which something may move.
    """
    sites = sites_of(facts, pack, engine)
    planner = _Planner(pack, schema, engine, selection, read)
    return planner.plan(sites, facts)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A site with what speaks against moving it, and the inspection of its file where it was looked at."""

    site: PlanSite
    refusal: Refusal | None
    inspection: Inspection | None = None


class _Planner:
    """One run of planning."""

    def __init__(
        self, pack: Pack, schema: Schema, engine: str | None, selection: Selection, read: ReadFile
    ) -> None:
        self._pack = pack
        self._selection = selection
        self._read = read
        self._speller = Speller(pack, engine)
        self._screen = Screen(pack, schema, engine, selection)
        self._sources = {item.id: item.override_source for item in pack.objects}

    def plan(self, sites: Sequence[PlanSite], facts: Mapping[str, FileFacts]) -> Plan:
        """Judge every site by itself, then by who owns its field, and write down what becomes of it."""
        judged = self._judge(sites)
        ownership = settle(self._writers(judged))
        readers = _readers(judged, facts)
        edits: list[Edit] = []
        skips: list[Skip] = []
        for one in judged:
            if not self._selection.takes(one.site):
                continue
            refusal = self._final(one, ownership)
            if refusal is not None:
                skips.append(_skip(one.site, refusal))
            elif (edit := self._edit(one, readers.get(one.site.access.field or "", _NO_READERS))) is not None:
                edits.append(edit)
        return Plan(tuple(edits), tuple(skips), tuple(self._notes(judged)))

    # What is judged site by site

    def _judge(self, sites: Sequence[PlanSite]) -> list[_Judged]:
        """Every site with what its access tells, and the candidates with what their files tell."""
        screened = [(site, self._screen.refuse(site) or self._unasked(site)) for site in sites]
        candidates: dict[str, list[PlanSite]] = {}
        for site, refusal in screened:
            if refusal is None and self._selection.takes(site):
                candidates.setdefault(site.path, []).append(site)
        inspections = {path: self._inspect(path, found) for path, found in candidates.items()}
        return [self._looked_at(site, refusal, inspections) for site, refusal in screened]

    def _unasked(self, site: PlanSite) -> Refusal | None:
        """Why a site stays that this run was not asked to move."""
        access = site.access
        if access.operation in CHANGES:
            if not self._selection.writes:
                return WRITES_STAY
            return None if self._selection.takes(site) else NOT_CHOSEN
        wide = self._selection.chains or self._selection.writes
        return BORROWED if access.root == "chain" and access.origin != "global" and not wide else None

    def _inspect(self, path: str, sites: Sequence[PlanSite]) -> Inspection | Problem:
        data = self._read(path)
        document = data if isinstance(data, Problem) else read_document(path, data)
        return document if isinstance(document, Problem) else inspect(document, sites, self._pack)

    def _looked_at(
        self, site: PlanSite, refusal: Refusal | None, inspections: Mapping[str, Inspection | Problem]
    ) -> _Judged:
        inspection = inspections.get(site.path)
        if refusal is not None or inspection is None or not self._selection.takes(site):
            return _Judged(site, refusal)
        if isinstance(inspection, Problem):
            return _Judged(site, Refusal("uncertain-text", inspection.message))
        return _Judged(site, inspection.refuse(site), inspection)

    def _writers(self, judged: Iterable[_Judged]) -> Iterator[Writer]:
        return (Writer(one.site, one.refusal) for one in judged if one.site.access.operation in CHANGES)

    # What is decided field by field

    def _final(self, one: _Judged, ownership: Ownership) -> Refusal | None:
        if one.refusal is not None:
            return one.refusal
        access = one.site.access
        held = ownership.refuse(access.field)
        if held is not None:
            return held
        borrowed = access.root == "chain" and access.origin != "global" and access.operation not in CHANGES
        if borrowed and not self._selection.chains and not ownership.moves(access.field):
            return BORROWED
        return None

    # What is written down

    def _edit(self, one: _Judged, readers: _Readers) -> Edit | None:
        access = one.site.access
        assert access.field is not None and access.namespace is not None and one.inspection is not None
        spelled = self._speller.read(access.namespace, access.field)
        assert spelled is not None
        reading = ""
        if access.operation == "write":
            callee = self._speller.callee()
            assert callee is not None
            place = one.inspection.places[access.span]
            source = source_of(one.site.path, access.scope, place, self._sources[access.object])
            after, accessor, note = f"{callee.code}({source})", callee.accessor, readers.note()
            reading, reading_accessor = spelled.code, spelled.accessor
        else:
            after, accessor, note, reading_accessor = spelled.code, spelled.accessor, "", None
            if access.code.startswith("hasattr("):
                after = f"hasattr({spelled.code.rpartition('.')[0]}, {access.field!r})"
            elif access.code.startswith("getattr(") and access.code.count(",") > 1:
                note = "its default is dropped: the schema has the field"
        return Edit(
            one.site.id,
            one.site.path,
            access.span,
            access.scope,
            access.operation,
            access.origin,
            access.field,
            access.namespace,
            access.code,
            after,
            accessor,
            note,
            reading,
            reading_accessor,
        )

    def _notes(self, judged: Sequence[_Judged]) -> Iterator[str]:
        computed = [
            one.site for one in judged if one.site.access.operation in CHANGES and one.site.access.field == COMPUTED
        ]
        if computed:
            places = ", ".join(f"{site.path}:{site.access.span.line}" for site in computed)
            yield f"{len(computed)} writes compute the name of their field, and hold none: {places}"


@dataclass(frozen=True, slots=True)
class _Readers:
    """How a field is read: how often off the namespaces, and where on the record it stays."""

    reads: int = 0
    stale: tuple[str, ...] = ()

    def note(self) -> str:
        """What a reader of the plan should know of a write that moves."""
        if not self.reads:
            return "nothing reads the field: the write is dead"
        return f"these reads stay on the record, and go stale: {', '.join(self.stale)}" if self.stale else ""


_NO_READERS = _Readers()


def _readers(judged: Iterable[_Judged], facts: Mapping[str, FileFacts]) -> Mapping[str, _Readers]:
    counts: dict[str, int] = {}
    stale: dict[str, list[str]] = {}
    for found in facts.values():
        for access in found.accesses:
            if access.operation == "read" and access.field is not None:
                counts[access.field] = counts.get(access.field, 0) + 1
    for one in judged:
        access = one.site.access
        if access.operation == "read" and access.field is not None and one.refusal is not None:
            where = f"{one.site.path}:{access.span.line} ({one.refusal.reason})"
            stale.setdefault(access.field, []).append(where)
    return {field: _Readers(count, tuple(stale.get(field, ()))) for field, count in counts.items()}


def _skip(site: PlanSite, refusal: Refusal) -> Skip:
    access = site.access
    return Skip(
        site.id,
        site.path,
        access.span,
        access.scope,
        access.operation,
        access.origin,
        access.field,
        access.namespace,
        access.code,
        refusal.reason,
        refusal.detail,
    )
