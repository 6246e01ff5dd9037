"""One file of a rule's plan: its names, the places of its sites, and the text that is kept of them."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from ratchet.analysis.lines import Hits
from ratchet.analysis.modules import module_name
from ratchet.codemod.model import Edit, Refusal, Skip
from ratchet.codemod.patched import Texts
from ratchet.codemod.scopes import Scope
from ratchet.codemod.survey import Survey, survey
from ratchet.codemod.template import Piece, same_code
from ratchet.matching.names import Names
from ratchet.matching.rewrites import Code
from ratchet.matching.unify import DOTS
from ratchet.matching.visit import Visit, visit
from ratchet.model import Span
from ratchet.syntax.document import Document


class RuleFile:
    """One file of a plan: its names and the places of its sites."""

    def __init__(
        self,
        document: Document,
        package: str,
        spans: Sequence[Span],
        words: Iterable[str],
        texts: Texts,
    ) -> None:
        self.document = document
        self.package = package
        self._texts = texts
        self._spans = tuple(spans)
        self.survey: Survey = survey(document, words, spans)
        self._visits: dict[Span, Visit] | None = None

    def dotted(self, node: ast.Call) -> frozenset[str]:
        """What a call's function may be, through the file's imports."""
        if self._visits is None:
            hits = Hits(self.document.lines, set(), everything=True)
            nodes = (found for found in visit(self.document.tree, hits) if isinstance(found.node, ast.Call))
            self._visits = {self.document.lines.span(found.node): found for found in nodes}  # type: ignore[arg-type]
        found = self._visits[self.document.lines.span(node)]
        names = Names(*module_name(self.package, self.document.path), self.document.text)
        return names.dotted(node.func, found.place)

    def replaced(self, scope: Scope, name: str, dotted: Iterable[str] = ()) -> Refusal | None:
        """Refuse a name whose module-level binding, or else one of what it stands for, a text names."""
        owner = scope.look_up(name)
        here = f"{module_name(self.package, self.document.path)[0]}.{name}"
        names = [here] if owner is not None and owner.kind == "module" else sorted(dotted)
        for each in names:
            if each in self._texts:
                detail = f"`{each}` may be replaced by another: a text in {self._texts[each]} names it"
                return Refusal("mixed-origin", detail)
        return None

    def look_for(self, names: Iterable[str]) -> None:
        """Survey the file again, with further names."""
        words = self.survey.words | set(names)
        self.survey.forget()
        self.survey = survey(self.document, words, self._spans)

    def ranges(self, nodes: Sequence[ast.expr | ast.keyword]) -> Iterator[tuple[int, int]]:
        """The ranges of some nodes; where nothing but signs is between them, a single one."""
        if not nodes:
            return
        document = self.document
        placed = sorted((document.start(node), document.end(node)) for node in nodes)
        first, last = placed[0]
        for start, end in placed[1:]:
            if re.fullmatch(r"[\s,\\]*", re.sub(r"#[^\r\n]*", "", document.text[last:start])):
                last = end
            else:
                yield first, last
                first, last = start, end
        yield first, last

    def piece(
        self, name: str, nodes: Sequence[ast.expr | ast.keyword], inner: Sequence[Edit]
    ) -> Piece | None:
        """The text of a hole with what was planned inside of it, and the nodes that it is then."""
        texts = [self._rewritten(start, end, inner) for start, end in self.ranges(nodes)]
        text = ", ".join(texts)
        try:
            made = _several(text) if name == DOTS else (ast.parse(f"({text}\n)", mode="eval").body,)
        except (SyntaxError, ValueError):
            return None
        changed = any(self.holds(part, edit) for part in self.ranges(nodes) for edit in inner)
        if len(made) != len(nodes) or not (changed or all(map(same_code, made, nodes))):
            return None
        return Piece(text, made)

    def _rewritten(self, start: int, end: int, inner: Sequence[Edit]) -> str:
        parts, done = [], start
        for edit in sorted(inner, key=place_of):
            first, last = self.offsets(edit.span)
            if done <= first and last <= end:
                parts += [self.document.text[done:first], edit.after]
                done = last
        return "".join([*parts, self.document.text[done:end]])

    def offsets(self, span: Span) -> tuple[int, int]:
        """The range of a span."""
        starts = self.document.lines.starts
        return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1

    def has_comment(self, node: Code, kept: Iterable[tuple[int, int]]) -> bool:
        """Whether a comment stands in a node's text outside of what is kept."""
        text, done, gaps = self.document.text, self.document.start(node), []
        for start, end in sorted(kept):
            gaps.append(text[done:start])
            done = max(done, end)
        gaps.append(text[done : self.document.end(node)])
        return any(re.match(r"(?:[^'\"#]|'[^'\n]*'|\"[^\"\n]*\")*#", gap) for gap in gaps)

    def holds(self, part: tuple[int, int], edit: Edit) -> bool:
        """Whether an edit lies in a range."""
        first, last = self.offsets(edit.span)
        return part[0] <= first and last <= part[1]


def _several(text: str) -> tuple[ast.expr | ast.keyword, ...]:
    """The arguments that a text is."""
    call = ast.parse(f"_({text}\n)", mode="eval").body
    return (*call.args, *call.keywords) if isinstance(call, ast.Call) else ()


def shadowed(scope: Scope, own: Iterable[str], free: Collection[str]) -> Refusal | None:
    """Refuse names that mean something else in a scope than a rule takes them for, or nothing.

    `own` are those of its pattern, `free` those of what it writes.
    """
    for name in dict.fromkeys((*own, *free)):
        owner = scope.look_up(name)
        known = hasattr(builtins, name)
        if known and owner is not None:
            return Refusal("shadowed-name", f"`{name}` is not the built-in one here")
        if not known and owner is None and name in free:
            detail = f"`{name}` is bound nowhere in the file, and the rule does not import it"
            return Refusal("shadowed-name", detail)
    return None


def place_of(entry: Edit | Skip) -> tuple[int, int, int, int]:
    """What edits and skips are sorted by: the outer one of two that start at one place comes first."""
    span = entry.span
    return (span.line, span.column, -span.end_line, -span.end_column)
