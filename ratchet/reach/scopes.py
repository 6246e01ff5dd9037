"""Scopes while a file is walked, and which of their uses and names may lead to code of the tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ratchet.frozen import dataclass, field
from ratchet.reach.facts import Keyed, ScopeFacts, ScopeKind, Use
from ratchet.reach.forms import IMPORT, LITERAL, TEXT, UNKNOWN

DYNAMIC = ("importlib", "importlib.import_module", "__import__", "eval", "exec")
"""What loads or runs code that no syntax names."""


@dataclass(slots=True, eq=False)
class OpenScope:
    """A scope while it is walked; `parent` is None for the module."""

    name: str
    kind: ScopeKind
    line: int
    parent: OpenScope | None
    names: dict[str, dict[str, None]] = field(default_factory=dict)
    uses: dict[tuple[str, bool, str], tuple[int, int]] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    parameters: set[str] = field(default_factory=set)
    bases: list[str] = field(default_factory=list)
    attributes: dict[tuple[str, str, str], None] = field(default_factory=dict)
    returns: dict[str, None] = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)
    roles: list[Keyed] = field(default_factory=list)
    targets: list[Keyed] = field(default_factory=list)
    modules: list[tuple[int, str]] = field(default_factory=list)
    branches: list[tuple[int, int, int]] = field(default_factory=list)
    receiver: str = ""

    def bind(self, name: str, forms: Iterable[str]) -> None:
        """Note what a name may stand for."""
        self.names.setdefault(name, {}).update(dict.fromkeys(forms))

    def use(self, chain: str, line: int, called: bool) -> None:
        """Note a chain that is loaded here, with what its root was imported as last."""
        key = (chain, called, self.imported.get(root_of(chain), "") if self.imported else "")
        known = self.uses.get(key)
        self.uses[key] = (min(line, known[0]), max(line, known[1])) if known else (line, line)

    def import_as(self, name: str, form: str) -> None:
        """Bind a name to an import; branches may import other things under it."""
        self.bind(name, [form])
        if self.kind != "module":
            self.imported[name] = form

    def useful(self) -> dict[str, list[str]]:
        """The names with those of their forms that lead somewhere; texts matter where constants are kept."""
        if self.kind in ("module", "class"):
            kept = (UNKNOWN, LITERAL)
            return {
                name: [form for form in forms if form[0] not in kept] for name, forms in self.names.items()
            }
        return {name: useful(forms) for name, forms in self.names.items()}

    def facts(self, uses: tuple[Use, ...]) -> ScopeFacts:
        """What the scope gave; `uses` are those of its uses that may lead to code of the tree."""
        return ScopeFacts(
            self.kind,
            self.line,
            {name: tuple(forms) for name, forms in self.useful().items()},
            uses,
            tuple(self.bases),
            tuple(self.returns),
            tuple(self.marks),
            tuple(self.roles),
            tuple(self.targets),
            tuple(self.modules),
            tuple(self.branches),
        )


class Leading:
    """Tells which uses of a file's scopes may lead to code of the tree."""

    def __init__(self, scopes: Mapping[str, OpenScope], package: str, starred: bool) -> None:
        """`starred` says that the file may bind names that it does not show."""
        self._scopes = scopes
        self._package = package
        self._starred = starred

    def facts(self, scope: OpenScope) -> ScopeFacts:
        """The facts of a scope that was walked."""
        return scope.facts(self._uses(scope))

    def _uses(self, scope: OpenScope) -> tuple[Use, ...]:
        """The uses that may lead to code of the tree; of an unknown object only the method that is called."""
        kept: dict[tuple[str, bool], tuple[int, int]] = {}
        known: dict[str, str] = {}
        for (chain, called, imported), (first, final) in scope.uses.items():
            root = root_of(chain)
            if imported and sum(form[0] == IMPORT for form in scope.names.get(root, ())) > 1:
                chain, root = f"{imported}{chain[len(root) :]}", imported
            sort = known.get(root) or known.setdefault(root, self._sort(root, scope))
            if sort == "outside" or (sort == "unknown" and not called):
                continue
            if sort == "unknown":
                if chain in scope.parameters:
                    continue  # whoever hands a function on is taken to run it
                last = max(chain.rfind("."), chain.rfind("["), chain.rfind("("))
                chain = f"{UNKNOWN}{chain[last:] if last >= 0 else chain.lstrip(UNKNOWN)}"
            before = kept.get((chain, called))
            kept[chain, called] = (min(first, before[0]), max(final, before[1])) if before else (first, final)
        return tuple(Use(chain, first, final, called) for (chain, called), (first, final) in kept.items())

    def _sort(self, root: str, scope: OpenScope) -> str:
        """Whether a root is `known`, `unknown`, or `outside`, which leads to no code of the tree."""
        if root in (UNKNOWN, LITERAL) or root[:1] in (IMPORT, "$"):
            return {UNKNOWN: "unknown", LITERAL: "outside"}.get(root, "known")
        if root in ("super", *DYNAMIC):
            return "known"
        inside: OpenScope | None = scope
        while inside is not None:
            if inside is scope or inside.kind != "class":
                if below(inside, root) in self._scopes:
                    return "known"
                if root in inside.names:
                    return self._sort_of(tuple(inside.names[root]))
            inside = inside.parent
        return "known" if self._starred else "outside"

    def _sort_of(self, forms: tuple[str, ...]) -> str:
        if all(form[0] == UNKNOWN for form in forms):  # a parameter without annotation, too
            return "unknown"
        led = [form for form in forms if form[0] not in (LITERAL, TEXT) and not self._is_outside(form)]
        return "known" if led else "outside"

    def _is_outside(self, form: str) -> bool:
        name = form[1:]
        return form[0] == IMPORT and name.partition(".")[0] != self._package and name not in DYNAMIC


def root_of(chain: str) -> str:
    """The root of a chain, without its steps."""
    end = len(chain)
    if chain[0] == IMPORT:
        return chain
    for mark in (".", "(", "["):
        at = chain.find(mark)
        if 0 <= at < end:
            end = at
    return chain[:end]


def below(scope: OpenScope, name: str) -> str:
    """The qualified name of what a scope defines."""
    return f"{scope.name}.{name}" if scope.name and scope.kind != "main" else name


def useful(forms: Iterable[str]) -> list[str]:
    """The forms that lead to something other than a text or a literal."""
    return [form for form in forms if form[0] not in (UNKNOWN, LITERAL, "'")]
