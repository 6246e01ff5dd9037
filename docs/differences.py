"""Writes how each binding-aware rule differs from the engine's own scanner: `python docs/differences.py`.

`differences.tsv` holds every site that only one of the two counts, with the cause, and `differences.md` the
sums and the sentences. A difference that no cause explains ends the run. The argument is the folder of the
releases, by default `.cache/sglang`, where `make sglang` unpacks them; what the engine's scanners found in
them, where they read syntax trees, is in `tests/data/`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from ratchet.matching.sites import SiteMatcher
from ratchet.model import Access, Site
from ratchet.scan import Scanner
from ratchet.session import Options, only_one, open_sessions
from ratchet.tree import plan_of

DOCS = Path(__file__).resolve().parent
DATA = DOCS.parent / "tests" / "data"
TABLE, PAGE = DOCS / "differences.tsv", DOCS / "differences.md"
RELEASES = ("0.5.16", "0.5.17")
RULE, SCANNER = "rule", "scanner"

CAUSES = {
    # Counted by the rule alone
    "on-the-accessor": "Called on the accessor's result; the scanner asks for a name before `.override(`.",
    "change-in-place": "The store goes into the value of a field (`record.field[key].part = value`); "
    "the scanner looks for one right behind the record's name.",
    "another-name": "A parameter of another name is the record, as its annotation or that name tells.",
    "alias": "Another name is bound to the record, or to a copy of it.",
    "past-the-guard": "`object.__setattr__` stores past the class's guard; the scanner knows `setattr`.",
    "outside-srt": "The call stands outside of `srt/`, where the scanner does not look.",
    "handed-in-or-made": "The record is handed in or made on the spot (`mixed`), never the process-wide one; "
    "the rule counts every mixed origin, since that one may be a part of it.",
    "getattr-on-self": "`getattr(self.server_args, 'field')`; the scanner knows getattr on a plain name.",
    "parked-alias": "A local name is bound to the parked record; the scanner follows the attribute itself.",
    "declared-on-class": "The record is a declared field of the class, whose text parks no parameter.",
    "parked-by-base": "A base class parks the record; the scanner looks at one class at a time.",
    "mixed-in": "The code of a mixin: the class that it is mixed into parks the record.",
    "off-another-object": "The class parks another object's record (`self.server_args = "
    "scheduler.server_args`), not a parameter.",
    # Counted by the scanner alone
    "definition": "The line of the `def`: the text counts it, the rule counts calls.",
    "nested-twice": "The scanner lists a read in a nested function again for the function around it.",
    "override-call": "A call of `override`, which the scanner takes for a field; `server-args-override` or "
    "`accessor-override` counts it.",
    "falls-back": "The parameter falls back to the process-wide record where none is handed in: the read is "
    "of either, and `global-config-read` counts it.",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One site that only the rule, or only its counterpart among the scanners, counts: a row of the table.

    `cause` names one of CAUSES, or several where one site stands for reads that differ; without any the
    difference is not understood, and that is a SystemExit.
    """

    release: str
    rule: str
    counterpart: str
    only_in: str
    path: str
    line: int
    scope: str
    code: str
    cause: str

    def __post_init__(self) -> None:
        if not self.cause:
            place = f"{self.release} {self.path}:{self.line}: {self.code}: only in the {self.only_in}"
            raise SystemExit(f"{place} of {self.rule}, and no cause explains that: read it, and add one")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A rule and its counterpart on one release: how many sites each counts, and which of them differ."""

    release: str
    rule: str
    counterpart: str
    counts: tuple[int, int]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """What the analysis and the rules find in one release, and what the scanners of syntax trees found."""

    version: str
    root: Path
    accesses: Mapping[str, tuple[Access, ...]]
    sites: Mapping[str, Sequence[Site]]
    scanned: Mapping[str, Sequence[tuple[str, int, str]]]

    def record_accesses(self, path: str, name: str) -> list[Access]:
        """What touches a field of the record in one file, in order of place."""
        return [item for item in self.accesses.get(path, ()) if item.field == name and item.object]

    def access(self, site: Site) -> Access:
        """The access that a site of an access rule stands for."""
        found = self.record_accesses(site.path, site.field or "")
        return next(item for item in found if item.span == site.span)


def main() -> None:
    """Write the table and the page."""
    trees = Path(sys.argv[1] if len(sys.argv) > 1 else ".cache/sglang")
    comparisons = [item for version in RELEASES for item in compare(read(trees, version))]
    TABLE.write_text(table(comparisons), encoding="utf-8")
    PAGE.write_text(page(comparisons), encoding="utf-8")


def read(trees: Path, version: str) -> Release:
    """Judge a release, and read what the scanners found in it."""
    root = trees.resolve() / version / "sglang"
    with open_sessions(Options(root=root, packs=("sglang",), no_cache=True), cwd=DOCS) as sessions:
        session = only_one(sessions)
        tree = session.tree(session.work_tree())
        scan = Scanner(plan_of(tree), tree.source, session.cache, session.place.jobs, tree.root).scan()
    if scan.census.problems:
        raise SystemExit(f"{root}: {scan.census.problems[0].path} {scan.census.problems[0].message}")
    matcher = SiteMatcher(tree.rules, tree.schema, tree.engine)
    sites: dict[str, list[Site]] = {rule.id: [] for rule in tree.rules}
    for path, facts in scan.facts.items():
        for site in matcher.sites(path, facts.accesses, facts.copies, facts.matches).sites:
            sites[site.rule].append(site)
    accesses = {path: facts.accesses for path, facts in scan.facts.items()}
    return Release(version, root, accesses, sites, _scanned(version))


def _scanned(version: str) -> Mapping[str, Sequence[tuple[str, int, str]]]:
    found: dict[str, list[tuple[str, int, str]]] = {}
    for line in (DATA / f"scanner-sites-{version}.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            scanner, path, number, name = line.split("\t")
            found.setdefault(scanner, []).append((path, int(number), name))
    return found


def compare(release: Release) -> tuple[Comparison, ...]:
    """Every rule beside its counterpart."""
    legacy = ("text-legacy-getter", "text-legacy-setter")
    return (
        _with_text(release, "server-args-override", ("text-override",)),
        _with_text(release, "accessor-override", (), lambda release, site: "on-the-accessor"),
        _with_text(release, "server-args-write", ("text-write",), _write_cause),
        _with_text(release, "legacy-global-accessor", legacy, _legacy_cause),
        _with_text(release, "raw-parallel-getter", ("text-raw-parallel-getter",)),
        _with_global_scanner(release),
        _with_supplied_scanner(release),
    )


# Beside the textual scanners

_Cause = Callable[[Release, Site], str]


def _with_text(
    release: Release, rule: str, texts: Sequence[str], cause: _Cause = lambda release, site: ""
) -> Comparison:
    """A rule beside its textual twins: two sites are the same where the text lies in the rule's lines."""
    ours, theirs = release.sites[rule], [site for text in texts for site in release.sites[text]]
    ours_alone = [site for site in ours if not any(_covers(site, text) for text in theirs)]
    theirs_alone = [text for text in theirs if not any(_covers(site, text) for site in ours)]
    label = " + ".join(texts) or "none: text-override passes these by"
    rows = [
        Difference(release.version, rule, label, side, item.path, item.span.line, item.scope, item.code, why)
        for side, item, why in (
            *((RULE, site, cause(release, site)) for site in ours_alone),
            *((SCANNER, text, _text_cause(release, text)) for text in theirs_alone),
        )
    ]
    return Comparison(release.version, rule, label, (len(ours), len(theirs)), tuple(rows))


def _covers(site: Site, text: Site) -> bool:
    return site.path == text.path and site.span.line <= text.span.line <= site.span.end_line


def _write_cause(release: Release, site: Site) -> str:
    if site.operation == "mutate":
        return "change-in-place"
    if release.access(site).via == "builtin":
        return "past-the-guard" if site.code.startswith("object.__setattr__(") else ""
    if site.code.partition(".")[0] in ("server_args", "sa"):
        return ""
    return {"parameter": "another-name", "alias": "alias"}.get(site.form or "", "")


def _legacy_cause(release: Release, site: Site) -> str:
    return "" if site.path.startswith("srt/") else "outside-srt"


def _text_cause(release: Release, text: Site) -> str:
    lines = (release.root / text.path).read_bytes().split(b"\n")
    return "definition" if lines[text.span.line - 1].startswith(b"def ") else ""


# Beside the scanners of syntax trees


def _with_global_scanner(release: Release) -> Comparison:
    rule, label = "global-config-read", "direct + alias"
    ours = {(site.path, site.span.line, site.field or ""): site for site in release.sites[rule]}
    counted = Counter((site.path, site.span.line, site.field or "") for site in release.sites[rule])
    listed = Counter([*release.scanned["direct"], *release.scanned["alias"]])
    rows = []
    for path, line, name in sorted((counted - listed).elements()):
        site = ours[path, line, name]
        mixed = site.origin == "mixed" and release.access(site).root != "accessor"
        why = "handed-in-or-made" if mixed else ""
        rows.append(Difference(release.version, rule, label, RULE, path, line, site.scope, site.code, why))
    for path, line, name in sorted((listed - counted).elements()):
        twice = (path, line, name) in counted
        why = "override-call" if name == "override" else "nested-twice" if twice else ""
        rows.append(Difference(release.version, rule, label, SCANNER, path, line, "", name, why))
    return Comparison(release.version, rule, label, (counted.total(), listed.total()), tuple(rows))


def _with_supplied_scanner(release: Release) -> Comparison:
    rule, label = "supplied-config-read", "supplied"
    ours = {(site.path, site.field or ""): site.span.line for site in release.sites[rule]}
    listed = {(path, name) for path, _, name in release.scanned["supplied"]}
    classes = _classes(release.root)
    rows = []
    for path, name in sorted(ours.keys() - listed):
        why = _supplied_cause(release, classes, path, name)
        rows.append(Difference(release.version, rule, label, RULE, path, ours[path, name], "", name, why))
    for path, name in sorted(listed - ours.keys()):
        found = release.record_accesses(path, name)
        either = any(item.origin == "mixed" and item.root == "accessor" for item in found)
        why = "override-call" if name == "override" else "falls-back" if either else ""
        line = found[0].span.line if found else 0
        rows.append(Difference(release.version, rule, label, SCANNER, path, line, "", name, why))
    return Comparison(release.version, rule, label, (len(ours), len(listed)), tuple(rows))


def _supplied_cause(release: Release, classes: Classes, path: str, name: str) -> str:
    """Why the scanner lists none of the reads of a pair: one cause, or several where the reads differ."""
    reads = [
        item
        for item in release.record_accesses(path, name)
        if item.operation in ("read", "call") and item.origin == "supplied" and item.root != "chain"
    ]
    causes = dict.fromkeys(_read_cause(classes, path, item) for item in reads)
    return "" if "" in causes else ", ".join(causes)


def _read_cause(classes: Classes, path: str, access: Access) -> str:
    if access.form == "alias":
        return "parked-alias" if access.root == "self" else ""
    if access.form == "parameter":
        return "" if access.code.startswith("server_args.") else "another-name"
    attribute = re.search(r"\bself\.(\w+)", access.code)
    if attribute is None:
        return ""
    how = _how_parked(classes, path, access.scope.partition(".")[0], attribute[1])
    return "getattr-on-self" if how == "parameter" and access.via == "builtin" else how


# The classes that the record is parked on


@dataclass(frozen=True, slots=True)
class Owner:
    """A class of a file: its bases, the fields that it declares, what it assigns to attributes of self."""

    path: str
    bases: tuple[str, ...]
    declared: frozenset[str]
    assigned: Mapping[str, ast.expr]


Classes = Mapping[str, Sequence[Owner]]
"""The classes of the files that name the record, by name."""


def _classes(root: Path) -> Classes:
    found: dict[str, list[Owner]] = {}
    for file in sorted((root / "srt").rglob("*.py")):
        data = file.read_bytes()
        if b"server_args" in data:
            for name, owner in _owners(file.relative_to(root).as_posix(), ast.parse(data)):
                found.setdefault(name, []).append(owner)
    return found


def _owners(path: str, module: ast.Module) -> Iterator[tuple[str, Owner]]:
    imports = [node for node in module.body if isinstance(node, ast.ImportFrom)]
    renamed = {item.asname: item.name for node in imports for item in node.names if item.asname}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
            declared = [ast.unparse(item.target) for item in node.body if isinstance(item, ast.AnnAssign)]
            named = tuple(renamed.get(base, base) for base in bases)
            yield node.name, Owner(path, named, frozenset(declared), dict(_assigned(node)))


def _assigned(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for item in ast.walk(node):
        if isinstance(item, ast.Assign):
            for target in item.targets:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    yield target.attr, item.value


def _how_parked(classes: Classes, path: str, name: str, attribute: str) -> str:
    """How an attribute of self got the record: a cause, `parameter` as the scanner sees it, or nothing."""
    own = next((owner for owner in classes.get(name, ()) if owner.path == path), None)
    if own is None:
        return ""
    if attribute in own.declared:
        return "declared-on-class"
    if attribute in own.assigned:
        return "off-another-object" if isinstance(own.assigned[attribute], ast.Attribute) else "parameter"
    parking = {key for key, owners in classes.items() if any(attribute in owner.assigned for owner in owners)}
    if parking & _with_bases(classes, name):
        return "parked-by-base"
    users = [user for user in classes if name in _with_bases(classes, user)]
    return "mixed-in" if any(parking & _with_bases(classes, user) for user in users) else ""


def _with_bases(classes: Classes, name: str) -> set[str]:
    seen: set[str] = set()
    pending = [name]
    while pending:
        known = pending.pop()
        if known not in seen:
            seen.add(known)
            pending.extend(base for owner in classes.get(known, ()) for base in owner.bases)
    return seen


# What is written


def table(comparisons: Iterable[Comparison]) -> str:
    """The table of all differences, by release and rule, in order of place."""
    head = "# Made by `python docs/differences.py`: what a rule or its counterpart counts alone, and why."
    names = "\t".join(item.name.replace("_", "-") for item in fields(Difference))
    rows = ["\t".join(map(str, astuple(row))) for item in comparisons for row in item.differences]
    return "\n".join([head, names, *rows]) + "\n"


def page(comparisons: Sequence[Comparison]) -> str:
    """The page: the sums of every rule, and each cause with how often it is one."""
    rows = [row for item in comparisons for row in item.differences]
    used = Counter((row.release, row.only_in, cause) for row in rows for cause in row.cause.split(", "))
    parts = [
        "# How the rules differ from the engine's own scanners",
        "Made by `python docs/differences.py` out of releases that `make sglang` unpacks. The engine "
        "guards its migration with scanners of its own: regular expressions, which the `text-` rules "
        "reproduce exactly, and three that read syntax trees. The rules follow bindings where those go by "
        "spellings, or by one class or function at a time. [`differences.tsv`](differences.tsv) holds every "
        "differing site.",
        "## Sums",
        _sums(comparisons),
        "## Counted by the rule alone",
        _causes(used, RULE),
        "## Counted by the scanner alone",
        _causes(used, SCANNER),
    ]
    return "\n\n".join(parts) + "\n"


def _sums(comparisons: Iterable[Comparison]) -> str:
    lines = ["| release | rule | sites | scanner | sites | rule alone | scanner alone |"]
    lines.append("|---|---|--:|---|--:|--:|--:|")
    for item in comparisons:
        ours, theirs = item.counts
        alone = Counter(row.only_in for row in item.differences)
        name = f"`{item.rule}`"
        cells = (item.release, name, ours, item.counterpart, theirs, alone[RULE], alone[SCANNER])
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _causes(used: Mapping[tuple[str, str, str], int], side: str) -> str:
    lines = [f"| cause | {' | '.join(RELEASES)} | |", f"|---|{'--:|' * len(RELEASES)}---|"]
    for cause, sentence in CAUSES.items():
        numbers = [used.get((release, side, cause), 0) for release in RELEASES]
        if any(numbers):
            lines.append(f"| {cause} | {' | '.join(map(str, numbers))} | {sentence} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
