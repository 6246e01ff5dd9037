"""The imports among a rule's sites: names that go with their last use, or come to be called by their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ratchet.analysis.imports import absolute
from ratchet.analysis.modules import module_name
from ratchet.codemod.aliases import is_watched
from ratchet.codemod.model import Accessor, Edit, Refusal
from ratchet.codemod.rule_file import RuleFile
from ratchet.codemod.scopes import Occurrence, Scope
from ratchet.codemod.survey import Survey
from ratchet.model import Site, Span


def names_of(seen: Survey) -> Iterator[str]:
    """The names that the imports at a rule's sites bind, and those that they import."""
    for item in seen.aliases.values():
        yield item.name
        yield item.node.name  # type: ignore[attr-defined]  # an import's node is its alias


def import_edits(file: RuleFile, site: Site, id: str, own_name: bool) -> Sequence[Edit] | Refusal:
    """The edits of an import, all of one id: of the import itself, and of the uses that it has.

    With `own_name` what is imported comes to be called by its own name. Otherwise the import goes, as long as
    nothing uses it after the calls were replaced: only then can the rewriter tell.
    """
    item = file.survey.aliases[site.span]
    alias, node = item.node, item.place.statement
    assert isinstance(alias, ast.alias)
    if alias.name == "*":
        return Refusal("star-import", "nobody can say which of its names are used here")
    refusal = file.replaced(item.scope, item.name)
    if refusal is not None:
        return refusal
    if not own_name:
        return [_edit(file, site, id, site.span, file.document.code(alias), "", None)]
    if not isinstance(node, ast.ImportFrom):
        return Refusal("unsupported-form", "it is no name that is imported from a module")
    owner = item.scope.look_up(item.name) or item.scope
    refusal = _refuse(file, item, owner)
    if refusal is not None:
        return refusal
    module, is_package = module_name(file.package, file.document.path)
    accessor = Accessor(absolute(module, is_package, node.level, node.module), alias.name)
    uses = [use.node for use in _uses(file.survey, item.name, owner)]
    return [
        _edit(file, site, id, site.span, file.document.code(alias), alias.name, accessor),
        *(
            _edit(file, site, id, file.document.span(use), item.name, alias.name, accessor)
            for use in uses
            if isinstance(use, ast.Name)
        ),
    ]


def _uses(seen: Survey, name: str, owner: Scope) -> Iterator[Occurrence]:
    return (use for use in seen.uses(name, owner) if use.use != "text")


def _refuse(file: RuleFile, item: Occurrence, owner: Scope) -> Refusal | None:
    """Why an imported name cannot be called otherwise."""
    name = item.name
    if owner.kind == "class":
        return Refusal("shadowed-name", f"`{name}` is an attribute of the class, which others may read")
    if is_watched(file.document, owner):
        return Refusal("uncertain-text", f"`exec`, `locals` or the like may look for `{name}`")
    for other in owner.bound.get(name, ()):
        if other.node is not item.node:
            return Refusal("shadowed-name", f"line {_line(other)} binds or deletes `{name}` too")
    for use in file.survey.uses(name, owner):
        if use.use == "text":
            return Refusal("uncertain-text", f"`{name}` stands in a text on line {_line(use)}")
        if use.use != "load":
            return Refusal("shadowed-name", f"line {_line(use)} declares `{name}`")
    return None


def _line(item: Occurrence) -> int:
    return getattr(item.node, "lineno", 0)


def _edit(
    file: RuleFile, site: Site, id: str, span: Span, before: str, after: str, accessor: Accessor | None
) -> Edit:
    return Edit(
        id, site.path, span, site.scope, "call", "mixed", "", site.rule, before, after,
        accessor or Accessor("", ""), uses=(accessor,) if accessor is not None else (),
        own_name=accessor is not None,
    )  # fmt: skip
