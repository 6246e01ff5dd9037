"""Expressions replaced the slow way, as the oracle of the fast one: the whole module through LibCST."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from ratchet.codemod.model import Edit
from ratchet.model import Span

Key = tuple[int, int, int, int]


def replaced(text: str, edits: Sequence[Edit], names: Mapping[str, str]) -> str:
    """A module's text with its edits' expressions replaced; `names` is what each edit calls its accessor."""
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    wanted = {_key(edit.span): edit for edit in edits}
    chosen: dict[cst.CSTNode, Edit] = {
        node: wanted[place]
        for node, position in positions.items()
        if isinstance(node, cst.BaseExpression) and (place := _place(position)) in wanted
    }
    return wrapper.module.visit(_Replace(chosen, names)).code


def _key(span: Span) -> Key:
    return (span.line, span.column - 1, span.end_line, span.end_column - 1)


def _place(position: CodeRange) -> Key:
    start, end = position.start, position.end
    return (start.line, start.column, end.line, end.column)


class _Replace(cst.CSTTransformer):
    def __init__(self, chosen: Mapping[cst.CSTNode, Edit], names: Mapping[str, str]) -> None:
        super().__init__()
        self.chosen = chosen
        self.names = names

    def on_leave(  # type: ignore[override]  # LibCST's own signature is wider than any use of it
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        edit = self.chosen.get(original_node)
        if edit is None or not isinstance(updated_node, cst.BaseExpression):
            return updated_node
        new = cst.parse_expression(edit.after).visit(_Rename(edit.accessor.name, self.names[edit.id]))
        assert isinstance(new, cst.BaseExpression)
        if isinstance(updated_node, cst.Call) and isinstance(new, cst.Call) and edit.operation == "write":
            return updated_node.with_changes(func=_merged(updated_node.func, new.func))
        return _merged(updated_node, new)


class _Rename(cst.CSTTransformer):
    def __init__(self, name: str, spelled: str) -> None:
        super().__init__()
        self.name = name
        self.spelled = spelled

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if updated_node.value != self.name:
            return updated_node
        return cst.parse_expression(self.spelled)


def _merged(old: cst.BaseExpression, new: cst.BaseExpression) -> cst.BaseExpression:
    """The new expression in the old one's layout, as far as they are the same from their end."""
    if isinstance(old, cst.Attribute) and isinstance(new, cst.Attribute) and old.attr.value == new.attr.value:
        return old.with_changes(value=_merged(old.value, new.value))
    return new
