"""Expressions that a newer engine spells otherwise, planned with the codemods: calls, reads, names, strings.

A call of a retired function becomes what the pack says; a field that is read off a record which such a call
gives is read off its namespace; what is read off a module that it has left is read off its new one. Each
edit belongs to a finding; where there is none, a reason does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.facts import FileFacts
from ratchet.codemod.model import Accessor, Edit
from ratchet.codemod.ownership import CHANGES
from ratchet.codemod.plan import Planner, Subject
from ratchet.codemod.rule_plan import RulePlanner
from ratchet.codemod.sites import Selection
from ratchet.frozen import dataclass, field, replace
from ratchet.model import Access, Codemod, Field, NameMatch, Rule, Schema, Site, Span
from ratchet.surface import Release, stand
from ratchet.syntax.document import Document
from ratchet.upgrade.fate import Judge
from ratchet.upgrade.model import Finding
from ratchet.upgrade.records import Records

_RULE = "upgrade"
_TAKES_PATHS = frozenset(("patch", "setattr", "import_string", "locate", "resolve_name"))
OTHER_USES = "what it gives is used in other ways than to read fields"
_NO_IMPORT = Accessor("", "")


@dataclass(slots=True)
class Expressions:
    """What is planned for a file: edits, each with the finding that it answers, and why others stay."""

    edits: list[tuple[Edit, Finding]] = field(default_factory=list)
    stays: dict[Finding, str] = field(default_factory=dict)

    def drop(self, finding: Finding, why: str) -> None:
        """Leave a finding alone after all."""
        self.edits = [(edit, one) for edit, one in self.edits if one != finding]
        self.stays[finding] = why


class ExpressionPlanner:
    """Plans the expressions of files for the newer engine; `both` is the older one where it must work too."""

    def __init__(self, judge: Judge, records: Records, both: Release | None) -> None:
        self.judge = judge
        self.records = records
        self.both = both
        self._rule = RulePlanner(_rule_of(judge.instead), judge.pack.package, lambda _path, _scope: None)
        fields = judge.new.fields.items()
        self._schema = Schema(
            judge.new.engine, {name: Field(name, "object", None, space or None) for name, space in fields}
        )
        self._getters = {name for item in judge.pack.objects for name in item.accessors}

    def plan(self, document: Document, data: bytes, findings: Iterable[Finding]) -> Expressions:
        """The edits of a file, and why the other findings stay whose new spelling is sure."""
        plan = Expressions()
        nodes = _Nodes(document)
        reads: list[tuple[Finding, ast.Call]] = []
        for finding in findings:
            if not finding.sure or finding.kind == "import":
                continue
            call = nodes.called.get(finding.span)
            if finding.kind == "leaf":
                self._leaf(plan, document, finding, nodes)
            elif finding.kind == "string":
                self._string(plan, document, finding, nodes)
            elif finding.what not in self.judge.instead:
                self._name(plan, document, finding, nodes)
            elif call is not None and "(" in finding.instead:
                self._call(plan, document, finding, call)
            elif call is not None and finding.instead in self._getters:
                reads.append((finding, call))
        if reads:
            self._reads(plan, document, data, reads)
        return plan

    # Calls of functions that are retired

    def _call(self, plan: Expressions, document: Document, finding: Finding, call: ast.Call) -> None:
        accessor, _, leaf = finding.instead.partition("().")
        lacks = self._lacks(accessor, leaf)
        if lacks:
            plan.stays[finding] = lacks
            return
        site = Site(_RULE, document.path, document.span(call), "", ast.unparse(call), "call")
        edits, skips = self._rule.plan(document, [site])
        plan.edits += [(replace(edit, id=_id(finding)), finding) for edit in edits]
        for skip in skips:
            plan.stays[finding] = skip.detail

    # Records that are asked for their fields

    def _reads(
        self, plan: Expressions, document: Document, data: bytes, calls: Sequence[tuple[Finding, ast.Call]]
    ) -> None:
        """The reads off the records that some calls give."""
        accesses = tuple(self._placed(item) for item in self.records.accesses(document))
        facts = {document.path: FileFacts(accesses=accesses, parsed=True)}
        engine = self.judge.new.engine
        subject = Subject(facts, self.judge.pack, self._schema, engine, lambda _path: data)
        made = Planner(subject, Selection()).plan({})
        owners = _Owners(document, calls)
        for edit in made.edits:
            finding = owners.of(edit.span, edit.before) if edit.operation == "read" else None
            if finding is not None:
                module = edit.accessor.module
                lacks = self._lacks(f"{module}.{edit.accessor.name}", edit.field, edit.namespace)
                if lacks:
                    plan.stays.setdefault(finding, lacks)
                else:
                    plan.edits.append((edit, finding))
        for skip in made.skips:
            finding = owners.of(skip.span, skip.before)
            if finding is not None:
                why = skip.detail if skip.operation not in CHANGES else "it is written, and not only read"
                plan.stays.setdefault(finding, f"{skip.before}: {why}")
        answered = {finding for _, finding in plan.edits}
        for finding, _ in calls:
            if finding in plan.stays or finding not in answered:
                plan.drop(finding, plan.stays.get(finding, OTHER_USES))

    def _placed(self, access: Access) -> Access:
        """An access with the namespace that the newer engine gives its field."""
        if access.origin == "namespace" or access.field is None:
            return access
        return replace(access, namespace=self.judge.new.fields.get(access.field) or None)

    def _leaf(self, plan: Expressions, document: Document, finding: Finding, nodes: _Nodes) -> None:
        name = finding.instead.rpartition(".")[2]
        space = self.judge.new.fields[name]
        spelled = self.records.speller.read(space, name)
        node = nodes.attributes.get(finding.span)
        if spelled is None or node is None or not _is_direct(node):
            plan.stays[finding] = "it is not read off the accessor itself"
            return
        lacks = self._lacks(f"{spelled.accessor.module}.{spelled.accessor.name}", name, space)
        if lacks:
            plan.stays[finding] = lacks
        else:
            plan.edits.append((_edit(document, finding, node, spelled.code, spelled.accessor), finding))

    def _lacks(self, accessor: str, leaf: str, space: str | None = None) -> str:
        """What keeps a new spelling from working with each engine that it must work with; empty: nothing."""
        for release in (self.judge.new, *([self.both] if self.both is not None else [])):
            who = (
                f"it is to work with {release.engine} too, which" if release is self.both else release.engine
            )
            if stand(release, accessor).state != "there":
                return f"{who} has no {accessor}"
            held = release.fields.get(leaf) == space if space else self.records.has_leaf(release, leaf)
            if not held:
                return f"{who} has no {space or accessor.rpartition('.')[2] + '()'}.{leaf}"
        return ""

    # Names that are read off a module, or stand in a string

    def _name(self, plan: Expressions, document: Document, finding: Finding, nodes: _Nodes) -> None:
        """A name is read off its new module, late as before, so that who replaces it there is heard."""
        node = nodes.attributes.get(finding.span)
        if node is None:
            plan.stays[finding] = "it is asked for by its name"
            return
        if not isinstance(node.ctx, ast.Load):
            plan.stays[finding] = "it is stored to, and who reads it may find it elsewhere"
            return
        lacks = self._lacks_name(finding.instead)
        if any(f"{finding.what}.".startswith(f"{name}.") for name in nodes.branched):
            lacks = "its import stands in a branch, which it would leave"
        if lacks:
            plan.stays[finding] = lacks
            return
        module, _, name = finding.instead.rpartition(".")
        package, _, last = module.rpartition(".")
        edit = _edit(document, finding, node, f"{last}.{name}", Accessor(package, last))
        plan.edits.append((edit, finding))

    def _string(self, plan: Expressions, document: Document, finding: Finding, nodes: _Nodes) -> None:
        node = nodes.strings.get(finding.span)
        why = self._holds_string(finding, node)
        if why or node is None:
            plan.stays[finding] = why
            return
        text = document.code(node)
        edit = _edit(document, finding, node, text.replace(finding.what, finding.instead), None)
        plan.edits.append((edit, finding))

    def _holds_string(self, finding: Finding, node: ast.expr | None) -> str:
        """Why a dotted path in a string is left alone; empty where it is not."""
        if node is None:
            return "nothing says that the text names a place to be replaced"
        module, _, name = finding.what.rpartition(".")
        if module not in self.judge.before.homes(name):
            return f"{module} did not define it, and who uses it there may have it from elsewhere now"
        return self._lacks_name(finding.instead)

    def _lacks_name(self, dotted: str) -> str:
        if self.both is None or stand(self.both, dotted).state == "there":
            return ""
        return f"it is to work with {self.both.engine} too, which has no {dotted}"


class _Nodes:
    """The expressions of a file that findings stand at, by their spans."""

    def __init__(self, document: Document) -> None:
        self.called: dict[Span, ast.Call] = {}
        self.attributes: dict[Span, ast.Attribute] = {}
        self.strings: dict[Span, ast.expr] = {}
        self.branched = set(_branched(document.tree))
        for node in ast.walk(document.tree):
            if isinstance(node, ast.Call):
                self.called[document.span(node.func)] = node
                first = node.args[0] if node.args else None
                if _takes_path(node.func) and isinstance(first, ast.Constant):
                    self.strings[document.span(first)] = first
            elif isinstance(node, ast.Attribute):
                self.attributes[document.span(node)] = node


class _Owners:
    """Which call gave the record that an expression reads: itself, or the one that a name was assigned."""

    def __init__(self, document: Document, calls: Sequence[tuple[Finding, ast.Call]]) -> None:
        spans = {document.span(call): finding for finding, call in calls}
        self._starts = {(span.line, span.column): finding for span, finding in spans.items()}
        self._named: list[tuple[str, int, int, Finding]] = []
        for first, last, node in _assignments(document.tree):
            target = node.targets[0]
            finding = spans.get(document.span(node.value))
            if finding is not None and isinstance(target, ast.Name) and len(node.targets) == 1:
                self._named.append((target.id, first, last, finding))

    def of(self, span: Span, code: str) -> Finding | None:
        """The finding of the call behind an expression; None where it is another record's."""
        found = self._starts.get((span.line, span.column))
        if found is not None:
            return found
        root = code.partition(".")[0]
        held = [one for name, first, last, one in self._named if name == root and first <= span.line <= last]
        return held[0] if len(held) == 1 else None


def _branched(tree: ast.Module) -> Iterator[str]:
    """The dotted names that are imported in a branch or a block, not straight in a module or function."""
    straight = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)
    for owner in ast.walk(tree):
        for node in ast.iter_child_nodes(owner):
            if isinstance(node, ast.ImportFrom) and not isinstance(owner, straight):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Import) and not isinstance(owner, straight):
                yield from (alias.name for alias in node.names)


def _assignments(tree: ast.Module) -> Iterator[tuple[int, int, ast.Assign]]:
    """The assignments of functions, with the function's first and last line."""
    for owner in ast.walk(tree):
        if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(owner):
                if isinstance(node, ast.Assign):
                    yield owner.lineno, owner.end_lineno or owner.lineno, node


def _takes_path(func: ast.expr) -> bool:
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return last in _TAKES_PATHS


def _is_direct(node: ast.expr) -> bool:
    """Whether an expression is a chain of attributes off a call without arguments."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Call) and not (node.args or node.keywords)


def _edit(
    document: Document, finding: Finding, node: ast.expr, after: str, accessor: Accessor | None
) -> Edit:
    uses = (accessor,) if accessor is not None else ()
    attribute = node.attr if isinstance(node, ast.Attribute) else ""
    return Edit(
        _id(finding), document.path, document.span(node), "", "call", "mixed", attribute, _RULE,
        document.code(node), after, accessor or _NO_IMPORT, uses=uses,
    )  # fmt: skip


def _id(finding: Finding) -> str:
    return f"{finding.span.line}:{finding.span.column}"


def _rule_of(instead: Mapping[str, str]) -> Rule:
    """The pack's table of replacements as a rule with a codemod."""
    replaced = tuple((name, text) for name, text in instead.items() if "(" in text)
    return Rule(
        _RULE, "call", NameMatch(tuple(name for name, _ in replaced)), "warn", "", "", "", "",
        own_codemod=Codemod((), replaced),
    )  # fmt: skip
