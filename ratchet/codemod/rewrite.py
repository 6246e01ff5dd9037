"""A file's bytes and its edits to its new bytes: expressions, stores, imports, and what is dead thereafter.

Everything is a splice: the new text of a range, at offsets that the parser's own positions give. Nothing
outside of these ranges is written anew, whatever its layout, line ends or encoding. LibCST, which keeps a
layout by holding all of it in a tree, would cost six tenths of a second to import alone, and twenty times the
parse of a file; an import statement is short enough to be laid out from its names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ratchet.codemod.aliases import Binding, Dead, find_dead, goes, placed, removals
from ratchet.codemod.deletion import refuse_deletion
from ratchet.codemod.dropping import drop_splice
from ratchet.codemod.expressions import replace_expression
from ratchet.codemod.import_lines import change_import
from ratchet.codemod.import_places import add_import
from ratchet.codemod.import_sites import imported, staying
from ratchet.codemod.imports import Spelling, Wanted
from ratchet.codemod.looking import look
from ratchet.codemod.model import Accessor, Drop, Edit, Outcome, Refusal, Rewritten, Skip
from ratchet.codemod.ranges import Placed, Ranges
from ratchet.codemod.replacement import gaps_between, holders, replaced, respelled
from ratchet.codemod.scopes import BINDING, Place, Scope
from ratchet.codemod.splice import Overlap, Splice, outermost, splice
from ratchet.codemod.stores import (
    Write,
    gaps_of,
    lost_comment,
    override_fault,
    store_of,
    write_stores,
)
from ratchet.codemod.style import Style
from ratchet.codemod.survey import Found, Imported, Survey
from ratchet.model import Problem
from ratchet.syntax.document import Document, read_document

Refusals = dict[str, Refusal]


def rewrite(
    path: str, data: bytes, edits: Sequence[Edit], style: Style, drops: Sequence[Drop] = ()
) -> Outcome | Problem:
    """Return a file rewritten, and the edits that were refused; a problem where it cannot be rewritten.

    `edits` and `drops` are those of this file, planned on exactly these bytes. Each edit is made or refused,
    and all others are made as if a refused one had not been planned; what is dropped can be.
    """
    document = read_document(path, data)
    if isinstance(document, Problem):
        return document
    try:
        return rewrite_document(document, data, edits, style, drops)
    except RecursionError:
        return Problem(path, 0, "is nested too deeply to be rewritten")


def rewrite_document(
    document: Document, data: bytes, edits: Sequence[Edit], style: Style, drops: Sequence[Drop] = ()
) -> Outcome:
    """The same for a file that is parsed already, out of `data`."""
    skips: list[Skip] = []
    left = tuple(edits)
    while left or drops:
        attempt = _Attempt(document, left, style, drops)
        splices = attempt.splices()
        attempt.survey.forget()
        if not attempt.refused:
            try:
                new = document.encode(splice(document.text, splices))
            except (Overlap, UnicodeEncodeError) as error:
                refusal = Refusal("uncertain-text", f"what the file becomes cannot be written: {error}")
                return Outcome(None, _ordered([*skips, *(skip_of(edit, refusal) for edit in left)]))
            changes = tuple((part.start, part.end, part.text) for part in outermost(splices))
            made = Rewritten(document.path, data, new, left, changes, tuple(drops))
            return Outcome(made, _ordered(skips))
        skips += [skip_of(edit, attempt.refused[edit.id]) for edit in left if edit.id in attempt.refused]
        left = tuple(edit for edit in left if edit.id not in attempt.refused)
    return Outcome(None, _ordered(skips))


def skip_of(edit: Edit, refusal: Refusal) -> Skip:
    """The skip that an edit becomes when it is refused."""
    return Skip(
        edit.id, edit.path, edit.span, edit.scope, edit.operation, edit.origin, edit.field, edit.namespace,
        edit.before, refusal.reason, refusal.detail,
    )  # fmt: skip


def _ordered(skips: Iterable[Skip]) -> tuple[Skip, ...]:
    return tuple(sorted(skips, key=lambda skip: (skip.span.line, skip.span.column, skip.id)))


class _Attempt:
    """One try to make some edits; `refused` says, by id, which ones cannot be made."""

    def __init__(
        self, document: Document, edits: Sequence[Edit], style: Style, drops: Sequence[Drop] = ()
    ) -> None:
        self.document = document
        self.edits = edits
        self.drops = drops
        self.style = style
        self.refused: Refusals = {}
        self.imports = look(document, edits, style, drops)
        self.survey: Survey = self.imports.survey
        self.spellings: list[tuple[int, Spelling]] = []
        self.own: set[Splice] = set()
        self.gaps: list[Splice] = []
        self.deleted: dict[int, Place] = {}

    def splices(self) -> list[Splice]:
        """The splices that make the edits; of no use where some were refused."""
        reads, writes = self._located()
        inner = [part for edit, found in reads for part in self._expression(edit, found)]
        stores, lost = self._stores(writes, inner)
        dropped = [part for drop in self.drops if (part := drop_splice(self.document, drop)) is not None]
        made = [*inner, *stores, *dropped]
        if self.refused:
            self._refuse_holders()
            return made
        reads_only = [part for part in inner if part not in self.own]
        dead = self._dead([*reads_only, *self.gaps, *lost, *dropped])
        dead.statements += self.deleted.values()
        self._check_bindings(reads_only, dead)
        self._check_tried([*inner, *lost], dead)
        imports, added = self._import_changes(dead)
        self.refused |= staying(self.document, self.survey, dead, self.edits)
        gone = list(removals(self.document, dead))
        added = _clear_of(self.document, added, gone)
        return [*made, *dead.changes, *gone, *imports, *added]

    # Where the edits are

    def _located(self) -> tuple[list[tuple[Edit, Found]], list[tuple[Edit, Found]]]:
        reads, writes = [], []
        for edit in self.edits:
            if edit.span in self.survey.aliases:
                continue
            found = next(iter(self.survey.found.get(edit.span, ())), None)
            if found is None or not _names(found.node, edit.field):
                self._refuse(edit, Refusal("uncertain-text", "its text does not stand where the plan says"))
            elif edit.operation == "write" and not _is_override(edit, found):
                writes.append((edit, found))
            else:
                reads.append((edit, found))
        self._check_overrides([(edit, found) for edit, found in reads if edit.operation == "write"])
        return [item for item in reads if item[0].id not in self.refused], writes

    def _check_overrides(self, calls: Sequence[tuple[Edit, Found]]) -> None:
        fields: dict[int, set[str]] = {}
        for edit, found in calls:
            fields.setdefault(id(found.node), set()).add(edit.field)
        for edit, found in calls:
            refusal = override_fault(found, frozenset(fields[id(found.node)]))
            if refusal is not None:
                self._refuse(edit, refusal)

    def _refuse(self, edit: Edit, refusal: Refusal) -> None:
        self.refused.setdefault(edit.id, refusal)

    # What takes their place

    def _spell(self, edit: Edit, found: Found, accessor: Accessor) -> Spelling | None:
        spell = self.imports.spell_own if edit.own_name else self.imports.spell
        spelling = spell(found, accessor)
        if isinstance(spelling, Refusal):
            self._refuse(edit, spelling)
            return None
        self.spellings.append((self.document.start(found.node), spelling))
        return spelling

    def _dead(self, first: Sequence[Splice]) -> Dead:
        """What is dead after some splices. What an edit calls in a statement that goes needs no import."""
        while True:
            kept = [(spelling.scope, spelling.name) for _, spelling in self.spellings]
            dead = find_dead(self.document, self.imports, first, kept, imported(self.survey))
            before = len(self.spellings)
            self._forget(Ranges(dead.gone.parts[len(first) :]))
            if len(self.spellings) == before:
                return dead

    def _forget(self, removed: Ranges) -> None:
        self.spellings = [(at, spelling) for at, spelling in self.spellings if not removed.hold(at)]

    def _replacement(self, edit: Edit, found: Found) -> list[Splice]:
        """What a rule's own codemod puts in an expression's place."""
        code = edit.after
        for accessor in edit.accessors:
            spelling = self._spell(edit, found, accessor)
            if spelling is None:
                return []
            code = respelled(code, accessor, spelling)
        made = replaced(self.document, found, code)
        if isinstance(made, Refusal):
            self._refuse(edit, made)
            return []
        self.own.update(made)
        self.gaps += gaps_between(self.document.start(found.node), self.document.end(found.node), edit.kept)
        return made

    def _refuse_holders(self) -> None:
        """Refuse what has a refused edit in its new text."""
        gone = [edit for edit in self.edits if edit.id in self.refused]
        for edit in holders(self.edits, gone):
            self._refuse(edit, Refusal("uncertain-text", "a site inside of it stays"))

    def _expression(self, edit: Edit, found: Found) -> list[Splice]:
        if edit.uses is not None:
            return self._replacement(edit, found)
        spelling = self._spell(edit, found, edit.accessor)
        if spelling is None:
            return []
        made = replace_expression(self.document, found, edit.after, edit.accessor, spelling)
        if isinstance(made, Refusal):
            self._refuse(edit, made)
            return []
        return made

    def _stores(
        self, writes: Iterable[tuple[Edit, Found]], inner: Sequence[Splice]
    ) -> tuple[list[Splice], list[Splice]]:
        """The splices of stores, and the ranges whose names count no more: all but the values."""
        groups: dict[int, list[Write]] = {}
        for edit, found in writes:
            if not edit.after:
                refusal = refuse_deletion(self.document, found)
                if refusal is not None:
                    self._refuse(edit, refusal)
                self.deleted[id(found.place.statement)] = found.place
                continue
            group = groups.setdefault(id(found.place.statement), [])
            write = self._write(edit, found, group)
            if write is not None:
                group.append(write)
        stores = []
        for group in filter(None, groups.values()):
            store = store_of(self.document, group)
            if not isinstance(store, Refusal) and lost_comment(self.document, store):
                store = Refusal("comment-inside", "a comment stands inside of the statement")
            if isinstance(store, Refusal):
                for write in group:
                    self._refuse(write.edit, store)
            else:
                stores.append(store)
        lost = [gap for store in stores for gap in gaps_of(self.document, store)]
        lost += [self._range(place) for place in self.deleted.values()]
        return write_stores(self.document, stores, inner, self.style.line_length), lost

    def _range(self, place: Place) -> Splice:
        return Splice(self.document.start(place.statement), self.document.end(place.statement), "")

    def _write(self, edit: Edit, found: Found, before: Sequence[Write]) -> Write | None:
        # A statement becomes one call, which is spelled as its first target is: no other spelling is used.
        spelling = before[0].spelling if before else self._spell(edit, found, edit.accessor)
        reading = None
        augmented = isinstance(found.place.statement, ast.AugAssign)
        if edit.reading_accessor is not None and augmented:
            reading = self._spell(edit, found, edit.reading_accessor)
        return Write(edit, found, spelling, reading) if spelling is not None else None

    def _check_bindings(self, inner: Iterable[Splice], dead: Dead) -> None:
        """Refuse edits whose text binds a name that is still used: `(sa := record()).x`."""
        bound = placed(self.document, self.survey, lambda item: item.use in BINDING)
        for part in inner:
            for item in bound.within([part]):
                owner = self.survey.meant(item)
                if owner is None or owner.kind != "function" or self._is_used(owner, item.name, dead):
                    detail = f"the replaced text binds `{item.name}`, which is used elsewhere"
                    self._refuse_at(part, Refusal("binding-inside", detail))

    def _check_tried(self, inner: Iterable[Splice], dead: Dead) -> None:
        """Refuse edits whose record is bound in a `try`: what it is when that fails is for people to say."""
        tried = Placed(
            (start, name)
            for scope, name in dead.tried
            for bound in self._names_from(scope, name, dead)
            for start in self._starts(*bound)
        )
        for part in inner if dead.tried else ():
            for name in tried.within([part]):
                detail = f"`{name}` is bound in a `try`, whose handler would have nothing left to catch"
                self._refuse_at(part, Refusal("optional-injection", detail))

    def _names_from(self, scope: Scope, name: str, dead: Dead) -> list[Binding]:
        """A name, and those that statements which are to go bind to it."""
        found = [(scope, name)]
        for around, known in found:
            for place in dead.statements:
                start, end = self.document.start(place.statement), self.document.end(place.statement)
                if any(start <= at < end for at in self._starts(around, known)):
                    stored = (item for items in self.survey.occurrences.values() for item in items)
                    bound = [item for item in stored if item.use == "store" and item.place is place]
                    found += [
                        (item.scope, item.name) for item in bound if (item.scope, item.name) not in found
                    ]
        return found

    def _starts(self, scope: Scope, name: str) -> list[int]:
        """Where a name stands that means the binding in a scope."""
        return [
            self.document.start(item.node)
            for item in self.survey.meaning(name, scope)
            if isinstance(item.node, ast.Name)
        ]

    def _is_used(self, scope: Scope, name: str, dead: Dead) -> bool:
        return not all(goes(self.document, dead, item) for item in self.survey.uses(name, scope))

    def _refuse_at(self, part: Splice, refusal: Refusal) -> None:
        for edit in self._placed.within([part]):
            self._refuse(edit, refusal)

    @cached_property
    def _placed(self) -> Placed[Edit]:
        """The edits, by where they stand."""
        found = ((edit, self.survey.found.get(edit.span)) for edit in self.edits)
        return Placed((self.document.start(there[0].node), edit) for edit, there in found if there)

    # Imports

    def _import_changes(self, dead: Dead) -> tuple[list[Splice], list[Splice]]:
        """The splices of changed statements and of new ones; statements left empty are noted as dead."""
        wanted = [spelling.wanted for _, spelling in self.spellings if spelling.wanted is not None]
        for item in {(id(item.scope), item.accessor.name): item for item in wanted}.values():
            self._drop_repeated(item, dead)
        fresh = {(item.accessor, id(item.scope)) for item in wanted if item.statement is None}
        adds: dict[int, tuple[Imported, set[str]]] = {}
        news: dict[tuple[int, str], tuple[Scope, set[str]]] = {}
        for item in wanted:
            if item.statement is not None:
                adds.setdefault(id(item.statement.node), (item.statement, set()))[1].add(item.accessor.name)
            elif not any((item.accessor, id(scope)) in fresh for scope in item.scope.around()):
                key = (id(item.scope), item.accessor.module)
                news.setdefault(key, (item.scope, set()))[1].add(item.accessor.name)
        changed = self._changed(adds, dead)
        length = self.style.line_length
        added = [
            add_import(self.document, self.imports, scope, module, names, length)
            for (_, module), (scope, names) in news.items()
        ]
        return changed, added

    def _drop_repeated(self, wanted: Wanted, dead: Dead) -> None:
        """Note the imports of a name that is now imported at the scope's start as dead: they say it again."""
        for item in wanted.scope.bound.get(wanted.accessor.name, ()):
            node = item.place.statement
            if not isinstance(item.node, ast.alias) or not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if wanted.scope.kind == "function" or Imported(node, item.scope, item.place).for_types:
                _, names = dead.names.setdefault(id(node), (item.place, []))
                if item.node not in names:
                    names.append(item.node)

    def _changed(self, adds: Mapping[int, tuple[Imported, set[str]]], dead: Dead) -> list[Splice]:
        made: list[Splice] = []
        for item in self.survey.imports:
            names = adds[id(item.node)][1] if id(item.node) in adds else set()
            drop = dead.names[id(item.node)][1] if id(item.node) in dead.names else []
            if len(drop) == len(item.node.names) and not names:
                dead.statements.append(item.place)
            elif drop or names:
                made += change_import(self.document, item, names, drop, self.style.line_length)
        return made


def _names(node: ast.AST, field: str) -> bool:
    """Whether an expression may be one of this field: a call may have its fields in a dict."""
    return not isinstance(node, ast.Attribute) or node.attr == field


def _is_override(edit: Edit, found: Found) -> bool:
    """Whether a write is a call that has its fields as keywords: it moves as an expression does."""
    return bool(edit.after) and isinstance(found.node, ast.Call) and bool(found.node.keywords)


def _clear_of(document: Document, parts: Sequence[Splice], removed: Iterable[Splice]) -> list[Splice]:
    """Insertions moved out of ranges that go, with the blank lines behind those."""
    made = {part: part for part in parts}
    at = Placed((part.start, part) for part in parts)
    for gone in outermost(removed):
        text = document.text[gone.start : gone.end]
        blank = "".join(text[len(text.rstrip()) :].splitlines(keepends=True)[1:])
        is_among = document.text.startswith(("import ", "from "), gone.end)
        for part in at.within([gone]):
            keeps = not (is_among or part.text.endswith(document.newline * 2))
            made[part] = Splice(gone.start, gone.start, part.text + blank * keeps)
    return [made[part] for part in parts]
