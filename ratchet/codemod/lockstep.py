"""Two trees walked side by side: they differ where the plan says so, and by what it says, or not at all.

A statement whose text is the same at the same depth is the same tree, since the parser knows nothing else of
it; so only what changed is compared node by node. Nothing here is shared with the rewriter but the plan.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ratchet.analysis.imports import absolute
from ratchet.analysis.lines import first_line
from ratchet.analysis.modules import module_name
from ratchet.codemod.gaps import filled, is_gap
from ratchet.codemod.model import Drop, Edit
from ratchet.codemod.noted import Noted
from ratchet.codemod.planned import is_planned, replacement_of
from ratchet.codemod.shapes import (
    imports_in,
    is_below_head,
    is_chain,
    is_changed_import,
    is_one_import,
    lines_of,
    not_held,
    pairs,
    same_source,
    text,
    without_dropped,
)
from ratchet.codemod.style import Style
from ratchet.model import Span
from ratchet.syntax.document import Document

_FREE_NAME = re.compile(r"(?<![\w.])(?!(?:self|cls)\b)[^\W\d]\w*")
Imports = (ast.Import, ast.ImportFrom)
Code = ast.expr | ast.stmt
_POSITIONS = ("lineno", "col_offset", "end_lineno", "end_col_offset", "ctx", "type_comment", "kind")


class Mismatch(Exception):
    """Where the trees differ in a way that nobody planned: the line in the new text, and what is wrong."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class Lockstep:
    """The comparison of one file.

    `removed` collects the names whose binding is gone, `touched` the old lines of statements that changed,
    `unused` the names that lost a use.
    """

    def __init__(
        self, old: Document, new: Document, edits: Sequence[Edit], style: Style, drops: Sequence[Drop] = ()
    ) -> None:
        self.old = old
        self.new = new
        self.edits: dict[Span, list[Edit]] = {}
        for edit in edits:
            self.edits.setdefault(edit.span, []).append(edit)
        self.dropped = {drop.span for drop in drops}
        self.lines = {span.line for span in (*self.edits, *self.dropped)}
        self.in_order = sorted(self.lines), sorted(old.gaps)
        self.deletes = any(not edit.after for edit in edits)
        self.module, self.is_package = module_name(style.package, old.path)
        accessors = [item for edit in edits for item in edit.accessors]
        self.planned = {f"{item.module}.{item.name}" for item in accessors}
        self.modules = {item.module for item in accessors}
        self.bound = self._bound()
        self.made: Noted[Span] = Noted()
        self.filled: set[int] = set()
        self.removed: Noted[str] = Noted()
        self.touched: set[int] = set()
        self.unused: set[str] = {name for edit in edits for name in _FREE_NAME.findall(edit.before)}

    def compare(self) -> None:
        """Walk both trees; raises Mismatch at the first difference that is not planned, or edit not made."""
        self._block(self.old.tree.body, self.new.tree.body)
        for line in sorted(self.old.gaps.keys() - self.filled):
            raise Mismatch(line, f"what begins on line {line} was not compared")
        for span in sorted(self.dropped - self.made.keys(), key=lambda span: (span.line, span.column)):
            raise Mismatch(span.line, f"an argument or parameter on line {span.line} was to go, and did not")
        for span in not_held(self.edits.keys() - self.made.keys(), self.made):
            before = self.edits[span][0].before
            raise Mismatch(span.line, f"`{before}` on line {span.line} was to change, and did not")

    def _bound(self) -> dict[str, set[str]]:
        """What the names that the new text imports stand for, anywhere in it."""
        found: dict[str, set[str]] = {}
        for node in imports_in(self.new.tree.body):
            for alias in node.names:
                dotted = self._dotted(node, alias)
                name = (alias.asname or alias.name).partition(".")[0]
                found.setdefault(name, set()).add(dotted)
        return found

    def _dotted(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
        if isinstance(node, ast.ImportFrom):
            source = absolute(self.module, self.is_package, node.level, node.module)
            return f"{source}.{alias.name}"
        return alias.name if alias.asname else alias.name.partition(".")[0]

    # Statements

    def _block(self, olds: Sequence[ast.stmt], news: Sequence[ast.stmt]) -> None:
        left, right = 0, 0
        while left < len(olds) or right < len(news):
            old = olds[left] if left < len(olds) else None
            new = news[right] if right < len(news) else None
            if old is not None and is_gap(self.old, old):
                count = self._filled(old, news[right:])
                left, right = left + bool(count), right + (count or 1)
            elif old is not None and new is not None and self._is_same_text(old, new):
                left, right = left + 1, right + 1
            elif new is not None and self._is_added(old, new) and is_below_head(olds, left):
                right += 1
            elif old is not None and self._is_removed(old, new, olds[left + 1 :]):
                self.touched |= set(range(old.lineno, (old.end_lineno or old.lineno) + 1))
                self.made.take(span for span, _ in self._edits_in(old))  # a read that goes with its alias
                left += 1
                right += isinstance(new, ast.Pass) and left == len(olds)
            elif old is not None and new is not None and self._is_kept_part(old, new):
                right += 1
            elif old is not None and new is not None and (count := self._stored(olds[left:], new)):
                left, right = left + count, right + 1
            elif old is not None and new is not None:
                self._statement(old, new)
                left, right = left + 1, right + 1
            else:
                there = new or old
                raise Mismatch(there.lineno if there else 0, "a statement came or went that nobody planned")

    def _filled(self, old: ast.stmt, news: Sequence[ast.stmt]) -> int:
        """How many statements are the text that the old tree leaves out; 0 before one that is added."""
        count = filled(self.old, old, self.new, news)
        if count:
            self.filled.add(old.lineno)
        elif not (news and self._is_added(old, news[0])):
            raise Mismatch(old.lineno, f"what begins on line {old.lineno} is not the same any more")
        return count

    def _touch(self, node: ast.stmt) -> None:
        """Note the lines of a statement that may change; of a compound one, those of its header."""
        body = getattr(node, "body", None)
        last = body[0].lineno if isinstance(body, list) and body else node.end_lineno or node.lineno
        self.touched |= set(range(first_line(node), last + 1))

    def _is_same_text(self, old: ast.stmt, new: ast.stmt) -> bool:
        if type(old) is not type(new) or old.col_offset != new.col_offset:
            return False
        edited, inside = (lines_of(old, lines) for lines in self.in_order)
        if edited or any(self.old.gaps[line][1] > self.old.end(old) for line in inside):
            return False  # it is edited, or ends with a gap, and nobody knows where
        if text(self.old, old) != text(self.new, new):
            return False
        self.filled.update(inside)
        return True

    def _is_added(self, old: ast.stmt | None, new: ast.stmt) -> bool:
        """Whether a statement imports accessors of the plan, and nothing else."""
        if not isinstance(new, ast.ImportFrom) or (isinstance(old, ast.ImportFrom) and same_source(old, new)):
            return False
        return all(self._dotted(new, alias) in self.planned and not alias.asname for alias in new.names)

    def _is_removed(self, old: ast.stmt, new: ast.stmt | None, rest: Sequence[ast.stmt]) -> bool:
        """Whether a statement that is not there any more bound nothing but names that may have died."""
        if isinstance(old, Imports):
            if is_changed_import(old, new, rest):
                return False
            self._unimport(old, old.names)
            return True
        if isinstance(old, ast.Try) and type(new) is not ast.Try:
            parts = [*old.body, *(part for handler in old.handlers for part in handler.body)]
            for part in parts:
                self._unimport(part, getattr(part, "names", ()))
            return all(isinstance(part, ast.Import | ast.ImportFrom | ast.Pass) for part in parts)
        targets = old.targets if isinstance(old, ast.Assign) else [getattr(old, "target", None)]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        plain = isinstance(old, ast.Assign | ast.AnnAssign) and len(names) == len(targets)
        if isinstance(old, ast.Assign) and isinstance(new, ast.Assign) and len(new.targets) < len(targets):
            plain = not self._matches(old.value, new.value)
        if plain and is_chain(getattr(old, "value", None)) and not self._matches(old, new):
            self.removed.take(names)
            self.unused |= {node.id for node in ast.walk(old) if isinstance(node, ast.Name)}
            return True
        return self._is_deleted_write(old)

    def _is_deleted_write(self, old: ast.stmt) -> bool:
        if not self.deletes or not isinstance(old, ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign):
            return False
        for span, edits in self._edits_in(old):
            if all(not edit.after for edit in edits):
                self.made.add(span)
                self.unused |= {part.id for part in ast.walk(old) if isinstance(part, ast.Name)}
                return True
        return False

    def _edits_in(self, node: ast.stmt) -> Iterator[tuple[Span, list[Edit]]]:
        for part in ast.walk(node):
            if isinstance(part, ast.expr) and part.lineno in self.lines:
                span = self.old.span(part)
                if span in self.edits:
                    yield span, self.edits[span]

    def _matches(self, old: ast.AST, new: ast.AST | None) -> bool:
        made, removed = len(self.made), len(self.removed)
        try:
            self._node(old, new)
        except Mismatch:
            self.made.back_to(made)
            self.removed.back_to(removed)
            return False
        return True

    def _statement(self, old: ast.stmt, new: ast.stmt) -> None:
        self._touch(old)
        if is_one_import(old, new):
            self._names(old, new)
        elif isinstance(old, ast.Assign) and isinstance(new, ast.Assign):
            self._assignment(old, new)
        else:
            self._node(old, new)

    def _names(self, old: ast.Import | ast.ImportFrom, new: ast.stmt) -> None:
        """An import that changed: what it gained is planned, what it lost has to be dead."""
        assert isinstance(new, Imports)
        before = {(alias.name, alias.asname) for alias in old.names}
        after = {(alias.name, alias.asname) for alias in new.names}
        for alias in new.names:
            known = (alias.name, alias.asname) in before
            if not known and (alias.asname or self._dotted(new, alias) not in self.planned):
                raise Mismatch(new.lineno, f"`{alias.name}` is imported, which nobody planned")
        self._unimport(old, [alias for alias in old.names if (alias.name, alias.asname) not in after])

    def _unimport(self, node: ast.stmt, aliases: Sequence[ast.alias]) -> None:
        """Note names that an import statement does not import any more."""
        if isinstance(node, Imports):
            self.removed.take((alias.asname or alias.name).partition(".")[0] for alias in aliases)
            self.made.take(self.old.span(alias) for alias in aliases if alias.lineno in self.lines)

    def _assignment(self, old: ast.Assign, new: ast.Assign) -> None:
        """An assignment, some of whose names may have died."""
        if len(old.targets) == len(new.targets) and self._matches(old, new):
            return
        paired = pairs(old)
        left = (
            pairs(new) if paired and isinstance(new.targets[0], ast.Tuple) else [(new.targets[0], new.value)]
        )
        if not paired:
            paired = [(target, old.value) for target in old.targets]
            left = [(target, new.value) for target in new.targets]
        at = 0
        for target, value in paired:
            if at < len(left) and self._matches(target, left[at][0]) and self._matches(value, left[at][1]):
                at += 1
            elif isinstance(target, ast.Name):
                self.removed.add(target.id)
            else:
                raise Mismatch(new.lineno, "an assignment changed in a way that nobody planned")
        if at != len(left):
            raise Mismatch(new.lineno, "an assignment changed in a way that nobody planned")

    # Stores

    def _stored(self, olds: Sequence[ast.stmt], new: ast.stmt) -> int:
        """How many statements one override call stands for; 0 where it is none."""
        call = new.value if isinstance(new, ast.Expr) else None
        if not isinstance(call, ast.Call):
            return 0
        words = {word.arg: word.value for word in call.keywords}
        count = 0
        seen: set[str] = set()
        for old in olds:
            stored = list(self._stores_in(old))
            if not stored or not {edit.field for edit, _ in stored} <= words.keys() - seen:
                break
            for edit, value in stored:
                expected = ast.parse(edit.after, mode="eval").body
                if not isinstance(expected, ast.Call) or not is_planned(
                    expected.func, call.func, edit, self.bound
                ):
                    return 0
                if [ast.dump(part) for part in expected.args] != [ast.dump(part) for part in call.args]:
                    return 0
                self._value(old, edit, value, words[edit.field])
                self.made.add(edit.span)
                seen.add(edit.field)
            self._touch(old)
            count += 1
        return count if seen | {"source"} >= words.keys() else 0

    def _is_kept_part(self, old: ast.stmt, new: ast.stmt) -> bool:
        """Whether a statement binds the names that an old one bound beside fields: `x = record.a = 1`."""
        if not isinstance(old, ast.Assign) or not isinstance(new, ast.Assign):
            return False
        if not any(self._writes_at(target) for target in old.targets):
            return False
        names = [target.id for target in old.targets if isinstance(target, ast.Name)]
        kept = [target.id for target in new.targets if isinstance(target, ast.Name)]
        return bool(names) and names == kept and self._matches(old.value, new.value)

    def _stores_in(self, old: ast.stmt) -> Iterator[tuple[Edit, ast.expr]]:
        """The planned stores of a statement, each with the value that it stores."""
        if isinstance(old, ast.Expr) and isinstance(old.value, ast.Call) and not old.value.keywords:
            for edit in self._writes_at(old.value):
                yield edit, old.value.args[-1]
        for target in [*getattr(old, "targets", ()), getattr(old, "target", None)]:
            value = getattr(old, "value", None)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                for part, given in zip(target.elts, value.elts, strict=False):
                    yield from ((edit, given) for edit in self._writes_at(part))
            elif isinstance(target, ast.expr) and isinstance(value, ast.expr):
                yield from ((edit, value) for edit in self._writes_at(target))

    def _writes_at(self, node: ast.expr) -> list[Edit]:
        edits = self.edits.get(self.old.span(node), ()) if node.lineno in self.lines else ()
        return [edit for edit in edits if edit.operation == "write" and edit.after]

    def _value(self, old: ast.stmt, edit: Edit, value: ast.expr, new: ast.expr) -> None:
        others = [target for target in getattr(old, "targets", ()) if isinstance(target, ast.Name)]
        if isinstance(old, ast.AugAssign):
            reading = ast.parse(edit.reading, mode="eval").body
            known = isinstance(new, ast.BinOp) and type(new.op) is type(old.op)
            if not known or not is_planned(reading, new.left, edit, self.bound):  # type: ignore[attr-defined]
                raise Mismatch(new.lineno, "an augmented store became another value")
            new = new.right  # type: ignore[attr-defined]
        elif others:
            value = others[0]
            if isinstance(new, ast.Name) and new.id == value.id:
                return
        self._node(value, new)

    # Expressions

    def _node(self, old: ast.AST | None, new: ast.AST | None) -> None:
        if isinstance(old, Code) and old.lineno in self.lines and isinstance(new, Code):
            span = self.old.span(old)
            if span in self.edits and self._is_made(span, old, new):
                return
        if isinstance(old, ast.NamedExpr) and not isinstance(new, ast.NamedExpr):
            self.removed.add(old.target.id)
            return self._node(old.value, new)
        if type(old) is not type(new) or old is None or new is None:
            raise Mismatch(getattr(new, "lineno", 0), "an expression changed in a way that nobody planned")
        if self.dropped and isinstance(old, ast.Call | ast.arguments):
            old = without_dropped(old, self._goes)
        for name in old._fields:
            if name not in _POSITIONS:
                self._part(getattr(old, name, None), getattr(new, name, None), new)

    def _goes(self, node: ast.expr | ast.keyword | ast.arg, last: ast.AST) -> bool:
        """Whether an argument or a parameter, up to its last part, is one that the plan drops."""
        start, end = self.old.lines.span(node), self.old.lines.span(last)  # type: ignore[arg-type]  # placed
        span = Span(start.line, start.column, end.end_line, end.end_column)
        if span not in self.dropped:
            return False
        self.made.add(span)
        self.unused |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        if isinstance(node, ast.arg):
            self.removed.add(node.arg)
        return True

    def _part(self, old: object, new: object, around: ast.AST) -> None:
        if isinstance(old, ast.AST) or isinstance(new, ast.AST):
            self._node(old, new)  # type: ignore[arg-type]  # one is a node; the other is compared with it
        elif isinstance(old, list) and isinstance(new, list):
            if old and isinstance(old[0], ast.stmt):
                return self._block(old, new)
            if len(old) != len(new):
                raise Mismatch(getattr(around, "lineno", 0), "something was added or left out")
            for one, other in zip(old, new, strict=True):
                self._part(one, other, around)
        elif type(old) is not type(new) or old != new:
            raise Mismatch(getattr(around, "lineno", 0), f"`{old}` became `{new}`")

    def _is_made(self, span: Span, old: Code, new: Code) -> bool:
        """Whether an edit's new code stands where its old one did."""
        edit = self.edits[span][0]
        if not edit.after or (isinstance(old, ast.stmt) and edit.uses is None):
            return False
        expected = replacement_of(edit, type(old))
        if edit.operation != "write":
            made = is_planned(expected, new, edit, self.bound)
        elif isinstance(old, ast.Call) and isinstance(new, ast.Call) and isinstance(expected, ast.Call):
            made = is_planned(expected.func, new.func, edit, self.bound)
            if made:
                self._part(old.args, new.args, new)
                self._part(old.keywords, new.keywords, new)
        else:
            made = False
        if made:
            self.made.add(span)
        return made
