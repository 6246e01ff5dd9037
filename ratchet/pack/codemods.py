"""How a rule's file says what becomes of its sites."""

from __future__ import annotations

from ratchet.model import Codemod, NameMatch, PatternMatch, RuleMatch
from ratchet.pack.specifiers import check_specifier
from ratchet.pack.table import Table


def take_codemod(table: Table, match: RuleMatch, checked: bool) -> Codemod | None:
    """The codemod that a rule declares itself: the `rewrite` of a pattern, the replacements of calls.

    None where there is none, or where `codemod` is the name of a verb.
    """
    rewrites = isinstance(match, PatternMatch) and match.rewrite is not None
    own = table.take_table("codemod") if isinstance(table.peek("codemod"), dict) else None
    if own is None:
        found = Codemod() if rewrites else None
    else:
        replace, versions = own.take_table("replace"), own.take_table("versions")
        groups = [(specifier, versions.take_table(specifier)) for specifier in versions.names()]
        found = Codemod(
            own.take_texts("imports"),
            _pairs(replace),
            tuple((specifier, _pairs(group)) for specifier, group in groups),
            bool(own.take_flag("surface")),
            bool(own.take_flag("own-name")),
        )
        if not checked:
            _check(own, found, match, rewrites)
            for specifier, _ in groups:
                check_specifier(versions, specifier, specifier, checked)
            for group in (replace, *(group for _, group in groups)):
                _check_replaced(group)
        own.close()
    if rewrites and not checked:
        _check_rewrite(table, match)
    return found


def _pairs(table: Table) -> tuple[tuple[str, str], ...]:
    return tuple((name, table.take_text(name)) for name in table.names())


def _check(own: Table, found: Codemod, match: RuleMatch, rewrites: bool) -> None:
    if found.imports and not rewrites:
        own.fault("imports", "`imports` says what the `rewrite` of a pattern needs, and there is none")
    for name in found.imports:
        if "." not in name or not name.replace(".", "_").isidentifier():
            own.fault("imports", f"`{name}` is no dotted name of something that can be imported")
    is_import = isinstance(match, NameMatch) and match.renamed
    for key in ("replace", "versions", "surface"):
        if own.has(key) and (is_import or not isinstance(match, NameMatch)):
            own.fault(key, f"`{key}` is for rules of kind `call`")
    if found.own_name and not is_import:
        own.fault("own-name", "`own-name` is for rules of kind `import` with `renamed = true`")


def _check_replaced(table: Table) -> None:
    for name, text in _pairs(table):
        fault = _replacement_fault(text)
        if fault:
            table.fault(name, f"the replacement `{text}` {fault}")


def _replacement_fault(text: str) -> str | None:
    from ratchet.matching.rewrites import rewrite_fault

    fault = rewrite_fault(["_(...)"], text)
    if fault is None and "." not in text.partition("(")[0]:
        return "does not start with the dotted name of what it imports"
    return fault


def _check_rewrite(table: Table, match: RuleMatch) -> None:
    from ratchet.matching.pattern import pattern_fault
    from ratchet.matching.rewrites import rewrite_fault

    assert isinstance(match, PatternMatch)
    if match.rewrite is None or any(pattern_fault(snippet) for snippet in match.patterns):
        return
    fault = rewrite_fault(match.patterns, match.rewrite)
    if fault:
        table.fault("match", f"the rewrite `{match.rewrite.strip()}` {fault}")
