"""Scopes while a file is walked, and which of their uses and names may lead to code of the tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ratchet.reach.facts import Keyed, ScopeFacts, ScopeKind, Use
from ratchet.reach.forms import IMPORT, LITERAL, TEXT, UNKNOWN

DYNAMIC = ("importlib", "importlib.import_module", "__import__", "eval", "exec")
"""What loads or runs code that no syntax names."""

_IDLE = (UNKNOWN, LITERAL, TEXT)


class OpenScope:
    """A scope while it is walked; `parent` is None for the module."""

    __slots__ = (
        "attributes",
        "bases",
        "branches",
        "imported",
        "inner",
        "kind",
        "line",
        "marks",
        "modules",
        "name",
        "names",
        "parameters",
        "parent",
        "receiver",
        "returns",
        "roles",
        "targets",
        "uses",
    )

    def __init__(self, name: str, kind: ScopeKind, line: int, parent: OpenScope | None) -> None:
        self.name = name
        self.kind = kind
        self.line = line
        self.parent = parent
        self.names: dict[str, dict[str, None]] = {}
        self.uses: dict[tuple[str, bool, str], tuple[int, int]] = {}
        self.imported: dict[str, str] = {}
        self.parameters: set[str] = set()
        self.attributes: dict[tuple[str, str, str], None] = {}
        self.returns: dict[str, None] = {}
        self.branches: list[tuple[int, int, int]] = []
        self.inner: dict[str, ScopeKind] = {}
        self.receiver = ""
        # What few scopes have: those of functions that are never walked are many.
        self.bases: tuple[str, ...] = ()
        self.marks: tuple[str, ...] = ()
        self.roles: tuple[Keyed, ...] = ()
        self.targets: tuple[Keyed, ...] = ()
        self.modules: tuple[tuple[int, str], ...] = ()

    def bind(self, name: str, forms: Iterable[str]) -> None:
        """Note what a name may stand for."""
        known = self.names.get(name)
        if known is None:
            self.names[name] = dict.fromkeys(forms)
        else:
            for form in forms:
                known[form] = None

    def use(self, chain: str, line: int, called: bool) -> None:
        """Note a chain that is loaded here, with what its root was imported as last."""
        key = (chain, called, self.imported.get(root_of(chain), "") if self.imported else "")
        known = self.uses.get(key)
        if known is None:
            self.uses[key] = (line, line)
        elif line < known[0]:
            self.uses[key] = (line, known[1])
        elif line > known[1]:
            self.uses[key] = (known[0], line)

    def import_as(self, name: str, form: str) -> None:
        """Bind a name to an import; branches may import other things under it."""
        self.bind(name, [form])
        if self.kind != "module":
            self.imported[name] = form

    def facts(self, uses: tuple[Use, ...]) -> ScopeFacts:
        """What the scope gave; `uses` are those of its uses that may lead to code of the tree.

        Names keep those of their forms that lead somewhere; texts matter where constants are kept.
        """
        idle = (UNKNOWN, LITERAL) if self.kind in ("module", "class") else _IDLE
        return ScopeFacts(
            self.kind,
            self.line,
            {
                name: tuple([form for form in forms if form[0] not in idle])
                for name, forms in self.names.items()
            },
            uses,
            self.bases,
            tuple(self.returns),
            self.marks,
            self.roles,
            self.targets,
            self.modules,
            tuple(self.branches),
            self.inner if self.kind == "function" else {},
        )


class Leading:
    """Tells which uses of a file's scopes may lead to code of the tree."""

    def __init__(self, scopes: Mapping[str, OpenScope], package: str, starred: bool) -> None:
        """`starred` says that the file may bind names that it does not show."""
        self._scopes = scopes
        self._package = package
        self._starred = starred
        self._global: dict[str, str] = {}

    def facts(self, scope: OpenScope) -> ScopeFacts:
        """The facts of a scope that was walked."""
        return scope.facts(self._uses(scope))

    def _uses(self, scope: OpenScope) -> tuple[Use, ...]:
        """The uses that may lead to code of the tree; of an unknown object only the method that is called."""
        kept: dict[tuple[str, bool], tuple[int, int]] = {}
        sorts: dict[str, str] = {}
        for (chain, called, imported), lines in scope.uses.items():
            root = root_of(chain)
            if imported and sum(form[0] == IMPORT for form in scope.names.get(root, ())) > 1:
                chain, root = f"{imported}{chain[len(root) :]}", imported
            sort = sorts.get(root)
            if sort is None:
                sort = sorts[root] = self._sort(root, scope)
            if sort == "outside" or (sort == "unknown" and not called):
                continue
            if sort == "unknown":
                if chain in scope.parameters:
                    continue  # whoever hands a function on is taken to run it
                last = max(chain.rfind("."), chain.rfind("["), chain.rfind("("))
                chain = f"{UNKNOWN}{chain[last:] if last >= 0 else chain.lstrip(UNKNOWN)}"
            use = (chain, called)
            known = kept.get(use)
            kept[use] = (min(lines[0], known[0]), max(lines[1], known[1])) if known else lines
        return tuple([Use(chain, *lines, called) for (chain, called), lines in kept.items()])

    def _sort(self, root: str, scope: OpenScope) -> str:
        """Whether a root is `known`, `unknown`, or `outside`, which leads to no code of the tree."""
        if root in (UNKNOWN, LITERAL) or root[:1] in (IMPORT, "$"):
            return {UNKNOWN: "unknown", LITERAL: "outside"}.get(root, "known")
        if root == "super" or root in DYNAMIC:
            return "known"
        inside = scope
        while inside.parent is not None:
            if inside is scope or inside.kind != "class":
                sort = self._bound_as(root, inside)
                if sort:
                    return sort
            inside = inside.parent
        if root not in self._global:
            missing = "known" if self._starred else "outside"
            self._global[root] = self._bound_as(root, inside) or missing
        return self._global[root]

    def _bound_as(self, root: str, scope: OpenScope) -> str:
        """The sort of what a scope itself binds a name to, nothing where it does not."""
        if below(scope, root) in self._scopes:
            return "known"
        forms = scope.names.get(root)
        if forms is None:
            return ""
        if all(form[0] == UNKNOWN for form in forms):  # a parameter without annotation, too
            return "unknown"
        led = [form for form in forms if form[0] not in (LITERAL, TEXT) and not self._is_outside(form)]
        return "known" if led else "outside"

    def _is_outside(self, form: str) -> bool:
        name = form[1:]
        return form[0] == IMPORT and name.partition(".")[0] != self._package and name not in DYNAMIC


def root_of(chain: str) -> str:
    """The root of a chain, without its steps."""
    if chain[0] == IMPORT:
        return chain
    return chain.partition(".")[0].partition("(")[0].partition("[")[0]


def below(scope: OpenScope, name: str) -> str:
    """The qualified name of what a scope defines."""
    return f"{scope.name}.{name}" if scope.name and scope.kind != "main" else name


def class_around(scope: OpenScope) -> str:
    """The name of the class around a method, or around a function inside of one."""
    inside: OpenScope | None = scope
    while inside is not None and inside.kind != "class":
        inside = inside.parent
    return inside.name if inside is not None else "?"


def useful(forms: Iterable[str]) -> list[str]:
    """The forms that lead to something other than a text or a literal."""
    return [form for form in forms if form[0] not in _IDLE]
