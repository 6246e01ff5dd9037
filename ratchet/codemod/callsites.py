"""What a file says of some functions and classes: where it defines, calls or otherwise uses them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from ratchet.analysis.lines import holds_line
from ratchet.codemod.aliases import is_record
from ratchet.codemod.imports import Imports
from ratchet.codemod.mentions import Argument, Class, Definition, Kind, Mention, Parameter, Seen
from ratchet.codemod.scopes import Occurrence, Scope
from ratchet.codemod.style import Style
from ratchet.codemod.survey import survey
from ratchet.model import Span
from ratchet.syntax.document import Document

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DOTTED = re.compile(r"[\w.]+(?::[\w.]+)?")
_CHECKS = ("isinstance", "issubclass")


def look(document: Document, words: Collection[str], style: Style) -> Seen:
    """What a file says of functions and classes of these names."""
    looker = _Looker(document, frozenset(words), style)
    looker.run()
    seen = Seen(
        tuple(looker.definitions), tuple(looker.classes), tuple(looker.mentions), tuple(looker.aliases())
    )
    looker.survey.forget()
    return seen


def signature(document: Document, node: Function) -> tuple[Parameter, ...]:
    """The parameters of a function, those that collect the rest left out."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    pairs = [*zip(positional, [None] * missing + list(arguments.defaults), strict=True)]
    alone = len(arguments.kwonlyargs) == 1 and arguments.vararg is None
    made = [(part, default, True, False) for part, default in pairs]
    rest = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    made += [(part, default, False, alone) for part, default in rest]
    return tuple(
        Parameter(part.arg, _joined(document, part, default or part), by_place, only)
        for part, default, by_place, only in made
    )


def _joined(document: Document, first: ast.arg, last: ast.arg | ast.expr) -> Span:
    start, end = document.lines.span(first), document.lines.span(last)  # type: ignore[arg-type]  # has positions
    return Span(start.line, start.column, end.end_line, end.end_column)


class _Looker:
    def __init__(self, document: Document, words: frozenset[str], style: Style) -> None:
        self.document = document
        self.words = words
        self.definitions: list[Definition] = []
        self.classes: list[Class] = []
        self.mentions: list[Mention] = []
        self.parent: dict[int, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self._index(document.tree)
        names = {word for node in self.nodes for word in self._roots(node)}
        self.survey = survey(document, words | names)
        self.imports = Imports(document.path, self.survey, style)
        self.module = self.imports.module
        self.known: dict[int, Occurrence] = {
            id(item.node): item for items in self.survey.occurrences.values() for item in items
        }

    def run(self) -> None:
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                self._class(node)
            elif isinstance(node, Function):
                self._definition(node)
            elif isinstance(node, ast.Name):
                self._name(node)
            elif isinstance(node, ast.Attribute):
                self._attribute(node)
            elif isinstance(node, ast.Constant):
                self._text(node)
            elif isinstance(node, ast.Call):
                self._own_class(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self._exports(node)

    def aliases(self) -> Iterator[tuple[str, str]]:
        """What the module's names stand for in other modules."""
        for word in self.words:
            for item in self.survey.module.bound.get(word, ()):
                dotted = self.imports.bound_dotted(item)
                if dotted is not None:
                    yield f"{self.module}.{word}", dotted

    # Where things stand

    def _index(self, tree: ast.Module) -> None:
        lines = self._lines()
        pending: list[ast.AST] = [tree]
        while pending:
            node = pending.pop()
            for child in ast.iter_child_nodes(node):
                self.parent[id(child)] = node
                if not isinstance(child, ast.stmt) or holds_line(child, lines):
                    pending.append(child)
                elif isinstance(child, ast.ClassDef | ast.Import | ast.ImportFrom):
                    self.nodes.append(child)
            if self._matters(node):
                self.nodes.append(node)

    def _lines(self) -> list[int]:
        """The lines that hold one of the words; those that may call a class without its name, too."""
        document = self.document
        if not document.text.isascii():
            return list(range(1, len(document.lines.starts) + 1))  # a letter may be another one in disguise
        alternatives = [rf"\b{re.escape(word)}\b" for word in sorted(self.words)]
        if "__init__" in self.words:
            alternatives += [r"\bcls\b", r"\btype\(", "__class__"]
        found = re.finditer("|".join(alternatives), document.text)
        return sorted(set(document.lines.numbers(match.start() for match in found)))

    def _matters(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self.words or ("__init__" in self.words and self._hands_on(node))
        if isinstance(node, ast.Attribute):
            return node.attr in self.words
        if isinstance(node, Function):
            return node.name in self.words
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and _last(node.value) in self.words
        if isinstance(node, ast.Call):
            return (isinstance(node.func, ast.Name) and node.func.id == "cls") or _makes_own(node)
        return isinstance(node, ast.ClassDef | ast.Import | ast.ImportFrom)

    def _hands_on(self, node: ast.Name) -> bool:
        """Whether it is `cls` as a value: who gets it may call it."""
        above = self.parent.get(id(node))
        taken = isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and above.func is node)
        return node.id == "cls" and isinstance(node.ctx, ast.Load) and not taken

    def _roots(self, node: ast.AST) -> Iterator[str]:
        """The names that have to be looked up to say what a node means."""
        if isinstance(node, ast.ClassDef):
            parts: Iterable[ast.AST] = node.bases
        elif isinstance(node, ast.Attribute | ast.Name):
            call = self.parent.get(id(node))
            parts = [node, *(call.args if isinstance(call, ast.Call) else ())]
            parts += [word.value for word in call.keywords] if isinstance(call, ast.Call) else []
        else:
            return
        for part in parts:
            for inner in ast.walk(part):
                if isinstance(inner, ast.Name):
                    yield inner.id

    def _chain(self, node: ast.AST) -> Iterator[ast.AST]:
        above = self.parent.get(id(node))
        while above is not None:
            yield above
            above = self.parent.get(id(above))

    def _qualified(self, node: ast.AST) -> str:
        names = [part.name for part in self._chain(node) if isinstance(part, Function | ast.ClassDef)]
        return ".".join([self.module, *reversed(names)])

    # Definitions

    def _class(self, node: ast.ClassDef) -> None:
        odd = next((f"it is decorated on line {part.lineno}" for part in node.decorator_list), "")
        if any(word.arg != "metaclass" or _last_name(word.value) != "ABCMeta" for word in node.keywords):
            odd = "its class statement has keywords"
        if any(isinstance(part, Function) and part.name == "__new__" for part in node.body):
            odd = "it makes its objects itself"
        bases = tuple(self._dotted(_bare(base)) for base in node.bases)
        self.classes.append(Class(self.document.path, f"{self._qualified(node)}.{node.name}", bases, odd))

    def _definition(self, node: Function) -> None:
        owner = self.parent[id(node)]
        self.definitions.append(
            Definition(
                self.document.path,
                node.lineno,
                f"{self._qualified(node)}.{node.name}",
                node.name,
                self._qualified(node) if isinstance(owner, ast.ClassDef) else None,
                signature(self.document, node),
                tuple(_last_name(part) or "?" for part in node.decorator_list),
            )
        )

    # Uses

    def _name(self, node: ast.Name) -> None:
        if node.id == "cls" and self._hands_on(node):
            return self._mention(node, "cls", self._class_of(node))
        item = self.known.get(id(node))
        if item is None or not isinstance(node.ctx, ast.Load):
            if isinstance(node.ctx, ast.Load):
                self._mention(node, node.id, None)
            return
        target, sure = self._meaning(item)
        if target is not None:
            self._mention(node, node.id, target, sure=sure)
        elif item.scope.look_up(node.id) is None and any(map(_stars, self.survey.imports)):
            self._mention(node, node.id, None)

    def _meaning(self, item: Occurrence) -> tuple[str | None, bool]:
        """The dotted name of the function, class or module that a name means, and whether that is sure."""
        scope = item.scope.look_up(item.name)
        if scope is None:
            return None, True
        found = [self._bound(scope, other) for other in scope.bound[item.name]]
        named = [dotted for dotted in found if dotted is not None]
        return (named[0], len(set(found)) == 1 and len(found) == 1) if named else (None, True)

    def _bound(self, scope: Scope, item: Occurrence) -> str | None:
        if item.use == "definition":
            names: list[str] = []
            current: Scope | None = scope
            while current is not None and current.parent is not None:
                names.insert(0, getattr(current.node, "name", "<expression>"))
                current = current.parent
            return ".".join([self.module, *names, item.name])
        return self.imports.bound_dotted(item)

    def _dotted(self, node: ast.expr) -> str | None:
        """The dotted name that an expression of names and attributes means."""
        if isinstance(node, ast.Attribute):
            base = self._dotted(node.value)
            return f"{base}.{node.attr}" if base else None
        item = self.known.get(id(node)) if isinstance(node, ast.Name) else None
        if item is None:
            return None
        if item.scope.look_up(item.name) is None:
            return item.name if item.name in ("object", "Exception", "type", "dict") else None
        target, sure = self._meaning(item)
        return target if sure else None

    def _attribute(self, node: ast.Attribute) -> None:
        owner = self._class_of(node.value)
        if owner is not None:
            self._mention(node, node.attr, f"{owner}.{node.attr}", bound=True)
            return
        base = self._dotted(node.value)
        self._mention(node, node.attr, f"{base}.{node.attr}" if base else None)

    def _class_of(self, node: ast.expr) -> str | None:
        """The class that `self`, `cls` or `super()` stands for in a method."""
        bare_super = isinstance(node, ast.Call) and _last_name(node.func) == "super" and not node.args
        if not bare_super and not isinstance(node, ast.Name):
            return None
        for around in self._chain(node):
            if isinstance(around, Function):
                positional = [*around.args.posonlyargs, *around.args.args]
                static = any(_last_name(part) == "staticmethod" for part in around.decorator_list)
                holder = self.parent.get(id(around))
                first = positional[0].arg if positional and not static else None
                if isinstance(node, ast.Name) and any(part.arg == node.id for part in positional[1:]):
                    return None
                if isinstance(holder, ast.ClassDef) and (bare_super or getattr(node, "id", "") == first):
                    return f"{self._qualified(holder)}.{holder.name}"
                if isinstance(holder, ast.ClassDef):
                    return None
        return None

    def _own_class(self, node: ast.Call) -> None:
        """`cls(...)` in a class method, and classes that are taken off an object."""
        owner = self._class_of(node.func) if isinstance(node.func, ast.Name) else None
        if owner is not None:
            self._mention(node.func, "cls", owner)
        elif not isinstance(node.func, ast.Name):
            for around in self._chain(node):
                if isinstance(around, ast.ClassDef):
                    dotted = f"{self._qualified(around)}.{around.name}"
                    self.mentions.append(
                        Mention(self.document.path, node.lineno, around.name, "value", dotted)
                    )

    def _mention(
        self, node: ast.expr, word: str, target: str | None, bound: bool = False, sure: bool = True
    ) -> None:
        kind = self._kind(node) if sure else "value"
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            kind = "value"
        call = self.parent.get(id(node))
        arguments = tuple(self._arguments(call)) if kind == "call" and isinstance(call, ast.Call) else ()
        self.mentions.append(Mention(self.document.path, node.lineno, word, kind, target, bound, arguments))

    def _kind(self, node: ast.expr) -> Kind:
        above = self.parent.get(id(node))
        if isinstance(above, ast.Call) and above.func is node:
            return "call"
        if isinstance(above, ast.Attribute):
            return "type"  # an attribute of a class is looked at by itself
        if isinstance(above, ast.ClassDef):
            return "base" if node in above.bases else "value"
        inner: ast.AST = node
        for around in self._chain(node):
            if isinstance(around, ast.arg):
                return "type"
            if isinstance(around, ast.AnnAssign) and around.annotation is inner:
                return "type"
            if isinstance(around, Function):
                return "type" if around.returns is inner else "value"
            if isinstance(around, ast.Call):
                return "type" if _last_name(around.func) in _CHECKS and inner in around.args[1:] else "value"
            if isinstance(around, ast.ExceptHandler) and around.type is inner:
                return "type"
            if isinstance(around, ast.stmt):
                return "value"
            inner = around
        return "value"

    def _arguments(self, call: ast.Call) -> Iterator[Argument]:
        scope = next(
            (self.known[id(node)].scope for node in ast.walk(call.func) if id(node) in self.known),
            self.survey.module,
        )
        for part in call.args:
            name = "*" if isinstance(part, ast.Starred) else None
            yield Argument(name, self.document.span(part), is_record(part, self.imports, scope))
        for word in call.keywords:
            start, value = self.document.lines.span(word), word.value  # type: ignore[arg-type]  # has positions
            yield Argument(word.arg or "**", start, is_record(value, self.imports, scope))

    def _text(self, node: ast.Constant) -> None:
        """A name in a string: in `__all__`, in a path to be patched, in getattr; not in an annotation."""
        above = self.parent.get(id(node))
        if isinstance(above, ast.Expr | ast.JoinedStr) or self._kind(node) == "type":
            return
        word = _last(node.value) if isinstance(node.value, str) else ""
        exported = any(
            isinstance(part, ast.Assign | ast.AugAssign | ast.AnnAssign)
            and any(_last_name(target) == "__all__" for target in _targets(part))
            for part in self._chain(node)
        )
        kind: Kind = "export" if exported else "text"
        target = f"{self.module}.{word}" if exported else None
        self.mentions.append(Mention(self.document.path, node.lineno, word, kind, target))

    def _exports(self, node: ast.Import | ast.ImportFrom) -> None:
        """What a package's own module imports and does not use is there for others."""
        for alias in node.names:
            name = alias.asname or alias.name
            renamed = alias.name in self.words and alias.asname not in (None, alias.name)
            if renamed:  # its uses go by another name: they would have to be looked for, too
                dotted = self.imports.dotted(node, alias)
                self.mentions.append(Mention(self.document.path, node.lineno, alias.name, "value", dotted))
            elif self.imports.is_package and name in self.words and isinstance(node, ast.ImportFrom):
                uses = (item for item in self.survey.of(name) if item.use == "load")
                if not any(True for _ in uses):
                    dotted = self.imports.dotted(node, alias)
                    self.mentions.append(Mention(self.document.path, node.lineno, name, "export", dotted))


def _targets(node: ast.AST) -> Sequence[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    target = getattr(node, "target", None)
    return [target] if isinstance(target, ast.expr) else []


def _bare(node: ast.expr) -> ast.expr:
    """A base class without its type arguments."""
    return node.value if isinstance(node, ast.Subscript) else node


def _makes_own(node: ast.Call) -> bool:
    """Whether it calls the class of an object: `type(self)(...)`, `self.__class__(...)`."""
    func = node.func
    return (isinstance(func, ast.Call) and _last_name(func.func) == "type") or (
        isinstance(func, ast.Attribute) and func.attr == "__class__"
    )


def _stars(item: object) -> bool:
    node = getattr(item, "node", None)
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _last(value: str) -> str:
    return re.split(r"[.:]", value)[-1] if len(value) < 200 and _DOTTED.fullmatch(value) else ""


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
