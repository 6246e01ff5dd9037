"""One rule out of its TOML file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import cast, get_args

from ratchet.frozen import fields, replace
from ratchet.model import (
    AccessMatch,
    AnyMatch,
    Example,
    Exemption,
    FlowMatch,
    Form,
    Kind,
    Mode,
    NameMatch,
    Operation,
    Origin,
    PatternMatch,
    RoleMatch,
    Rule,
    RuleMatch,
    Shape,
    TextMatch,
    Unit,
    Via,
)
from ratchet.pack.codemods import take_codemod
from ratchet.pack.specifiers import check_specifier, take_specifier
from ratchet.pack.table import Table

_KINDS = cast(tuple[Kind, ...], get_args(Kind))
_MODES = cast(tuple[Mode, ...], get_args(Mode))
_OPERATIONS = cast(tuple[Operation, ...], get_args(Operation))
_ORIGINS = cast(tuple[Origin, ...], get_args(Origin))
_FORMS = cast(tuple[Form, ...], get_args(Form))
_VIAS = cast(tuple[Via, ...], get_args(Via))
_SHAPES = cast(tuple[Shape, ...], get_args(Shape))
_UNITS = cast(tuple[Unit, ...], get_args(Unit))


def decode_rule(table: Table, rule_id: str, file: str, analysis: str, checked: bool) -> Rule:
    """The rule that a file's table describes; its faults are recorded in the table.

    `analysis` is the version that the fingerprint covers beside the matching keys. `checked` says that
    regular expressions, patterns and version specifiers were found right before: they are not compiled again.
    """
    table.require("title", "say in a few words what is counted")
    table.require("kind", f"write one of {', '.join(_KINDS)}")
    table.require("why", "say in a sentence or two why these sites must go")
    table.require("instead", "say what to write instead")
    kind = table.take_word("kind", _KINDS, "access")
    paths, engines = table.take_texts("paths"), take_specifier(table, checked)
    # What a match may say depends on the kind; of an unknown one nothing can be told.
    is_known = table.peek("kind") in _KINDS
    match = _MATCHES[kind](_match_table(table, kind), checked) if is_known else _no_match(table)
    exempt = tuple(decode_exemption(entry, checked) for entry in table.take_tables("exempt"))
    own = take_codemod(table, match, checked)
    rule = Rule(
        id=rule_id,
        kind=kind,
        match=match,
        mode=table.take_word("mode", _MODES, "ratchet"),
        title=table.take_text("title"),
        why=table.take_text("why"),
        instead=table.take_text("instead"),
        fingerprint=_fingerprint(kind, match, paths, exempt, engines, analysis),
        paths=paths,
        exempt=exempt,
        engines=engines,
        formerly=table.take_texts("formerly"),
        codemod=None if own else table.take_optional("codemod"),
        own_codemod=own,
        examples=_examples(table),
        file=file,
    )
    table.close()
    return rule


def decode_exemption(table: Table, checked: bool, boundary: bool = False) -> Exemption:
    """An exemption of a rule, or a boundary of a pack; only the latter has the three flags."""
    table.require("reason", "say why these sites stay")
    entry = Exemption(
        reason=table.take_text("reason"),
        paths=table.take_texts("paths"),
        scopes=table.take_texts("scopes"),
        fields=table.take_texts("fields"),
        owner=table.take_optional("owner"),
        issue=table.take_optional("issue"),
        until=table.take_date("until"),
        engines=take_specifier(table, checked),
        outside=bool(boundary and table.take_flag("outside")),
        unpublished=bool(boundary and table.take_flag("unpublished")),
        separate=bool(boundary and table.take_flag("separate")),
    )
    if not (entry.paths or entry.scopes or entry.fields):
        table.fault(
            None, "an entry without `paths`, `scopes` or `fields` would take in everything; name some"
        )
    table.close()
    return entry


def digest(value: object) -> str:
    """Sixteen hex digits of the SHA-256 of a value that JSON can hold."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def plain(value: object) -> object:
    """A frozen value as JSON would hold it, without what stands at its default."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if not hasattr(value, "__dataclass_fields__"):
        return value
    kept = (
        (entry.name, getattr(value, entry.name), entry.default) for entry in fields(cast("Example", value))
    )
    return {name: plain(found) for name, found, default in kept if found != default}


def _fingerprint(
    kind: Kind,
    match: RuleMatch,
    paths: tuple[str, ...],
    exempt: tuple[Exemption, ...],
    engines: str | None,
    analysis: str,
) -> str:
    excluded = [[entry.paths, entry.scopes, entry.fields, entry.engines] for entry in exempt]
    # What sites become says nothing of which ones there are.
    matching = replace(match, rewrite=None) if isinstance(match, PatternMatch) else match
    return digest([analysis, kind, plain(matching), paths, excluded, engines])


def _no_match(table: Table) -> RuleMatch:
    table.take_raw("match")
    return AnyMatch()


def _match_table(table: Table, kind: Kind) -> Table:
    if kind not in ("copy", "global", "role"):
        table.require("match", f"a rule of kind `{kind}` says in [match] what it looks for")
    return table.take_table("match")


def _access(table: Table, _checked: bool) -> AccessMatch:
    match = AccessMatch(
        operations=table.take_words("operations", _OPERATIONS),
        origins=table.take_words("origins", _ORIGINS),
        forms=table.take_words("forms", _FORMS),
        roots=table.take_words("roots", _FORMS),
        vias=table.take_words("vias", _VIAS),
        objects=table.take_texts("objects"),
        fields=table.take_texts("fields"),
        not_fields=table.take_texts("not-fields"),
        namespaces=table.take_texts("namespaces"),
        members=table.take_flag("members"),
        unit=table.take_word("unit", _UNITS, "site"),
    )
    table.close()
    return match


def _flow(table: Table, checked: bool) -> RuleMatch:
    table.require("shape", f"write one of {', '.join(_SHAPES)}")
    shape = table.take_word("shape", _SHAPES, "lost-write")
    return FlowMatch(shape, _access(table, checked))


def _role(table: Table, checked: bool) -> RuleMatch:
    return RoleMatch(_access(table, checked))


def _names(table: Table, checked: bool) -> RuleMatch:
    versioned = table.take_table("versions")
    groups = tuple((specifier, versioned.take_texts(specifier)) for specifier in versioned.names())
    match = NameMatch(
        names=table.take_texts("names"),
        renamed=bool(table.take_flag("renamed")),
        imports=bool(table.take_flag("imports")),
        versioned=groups,
    )
    if not (match.names or groups):
        table.fault(None, "`names` is missing in [match]: list the dotted names that are looked for")
    for specifier, _ in groups:
        check_specifier(versioned, specifier, specifier, checked)
    for name in (*match.names, *(name for _, group in groups for name in group)):
        if (
            not name.rpartition(".")[2].isidentifier()
            or not name.replace(".", "").replace("*", "_").isidentifier()
        ):
            table.fault(
                None, f"`{name}` is no dotted name; its last part must be a word, `*` may stand before it"
            )
    table.close()
    return match


def _pattern(table: Table, checked: bool) -> RuleMatch:
    table.require("patterns", "write the snippets of Python that are looked for")
    where = table.take_table("where")
    match = PatternMatch(
        patterns=table.take_texts("patterns"),
        where=tuple((hole, where.take_text(hole)) for hole in where.names()),
        rewrite=table.take_code("rewrite"),
    )
    if not checked:
        _check_patterns(table, where, match)
    table.close()
    return match


def _check_patterns(table: Table, where: Table, match: PatternMatch) -> None:
    from ratchet.matching.pattern import holes_of, pattern_fault
    from ratchet.matching.regex_faults import regex_fault

    for snippet in match.patterns:
        fault = pattern_fault(snippet)
        if fault:
            table.fault("patterns", f"the pattern `{snippet}` {fault}")
    known = {hole for snippet in match.patterns if not pattern_fault(snippet) for hole in holes_of(snippet)}
    for hole, regex in match.where:
        fault = regex_fault(regex) if regex else None
        if fault:
            where.fault(hole, f"`{hole}` cannot serve: {fault}")
        if hole not in known:
            where.fault(hole, f"no pattern has a hole `${hole}`")


def _text(table: Table, checked: bool) -> RuleMatch:
    table.require("regex", "write the regular expression that is looked for in the raw text")
    match = TextMatch(
        regex=table.take_code("regex") or "", unit=table.take_word("unit", ("match", "line"), "match")
    )
    if not checked and match.regex:
        from ratchet.matching.regex_faults import regex_fault

        fault = regex_fault(match.regex)
        if fault:
            table.fault("regex", f"`regex` cannot serve: {fault}")
    table.close()
    return match


def _any(table: Table, _checked: bool) -> RuleMatch:
    match = AnyMatch(objects=table.take_texts("objects"))
    table.close()
    return match


_MATCHES: dict[Kind, Callable[[Table, bool], RuleMatch]] = {
    "access": _access,
    "copy": _any,
    "call": _names,
    "import": _names,
    "global": _any,
    "pattern": _pattern,
    "text": _text,
    "flow": _flow,
    "role": _role,
}


def _examples(table: Table) -> tuple[Example, ...]:
    entries = table.take_tables("example")
    examples = tuple(_example(entry) for entry in entries)
    if not any(example.bad is not None for example in examples):
        table.fault(None, "no [[example]] has a `bad` snippet: show what is counted")
    if not any(example.good is not None for example in examples):
        table.fault(None, "no [[example]] has a `good` snippet: show what is not counted")
    return examples


def _example(table: Table) -> Example:
    files = table.take_table("files")
    example = Example(
        bad=table.take_code("bad"),
        good=table.take_code("good"),
        fixed=table.take_code("fixed"),
        path=table.take_text("path", "example.py"),
        sites=table.take_number("sites", 1),
        engine=table.take_optional("engine"),
        files=tuple((name, files.take_code(name) or "") for name in files.names()),
    )
    files.close()
    if example.bad is None and example.good is None:
        table.fault(None, "an [[example]] needs a `bad` or a `good` snippet")
    if example.fixed is not None and example.bad is None:
        table.fault("fixed", "`fixed` shows what becomes of `bad`, which is missing")
    table.close()
    return example
