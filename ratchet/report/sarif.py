"""The verdict as SARIF 2.1.0, with each site's state against the baseline and a fingerprint."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from urllib.parse import quote

from ratchet.escape import display_path as inert
from ratchet.model import Problem, RuleVerdict, Site, Verdict
from ratchet.report.context import Context, State, one_line, rewrite_command, states
from ratchet.report.markdown import code, prose

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "ratchet/v1"
"""The name of the fingerprint: rule, path, scope and code of a site, and its place among identical ones."""

Object = dict[str, object]
Key = tuple[str, str, str]

_ROOT = "%SRCROOT%"
_BASELINE_STATES: dict[State | None, str | None] = {
    "new": "new",
    "known": "unchanged",
    "moved": "updated",
    None: None,
}


def render(verdict: Verdict, context: Context) -> str:
    """One run; paths are relative to the repository, columns count characters."""
    run: Object = {
        "tool": {"driver": _driver(verdict, context)},
        "invocations": [_invocation(verdict, context)],
        "originalUriBaseIds": {_ROOT: {"description": _message("The root of the repository.")}},
        "columnKind": "unicodeCodePoints",
        "results": [
            result for index, entry in enumerate(verdict.rules) for result in _results(index, entry, context)
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, separators=(",", ":")) + "\n"


def _driver(verdict: Verdict, context: Context) -> Object:
    driver: Object = {"name": "ratchet", "rules": [_rule(entry) for entry in verdict.rules]}
    return driver | ({"version": context.version} if context.version else {})


def _rule(entry: RuleVerdict) -> Object:
    rule = entry.rule
    why, instead = one_line(rule.why), one_line(rule.instead)
    command = rewrite_command(entry, entry.sites)
    rewrite = f" Rewrite: {command}" if command else ""
    marked = f"\n\nRewrite: {code(command)}" if command else ""
    return {
        "id": inert(rule.id),
        "shortDescription": _message(one_line(rule.title)),
        "fullDescription": _message(why),
        "help": {
            **_message(f"{why} Instead: {instead}{inert(rewrite)}"),
            "markdown": _literal(f"{prose(why)}\n\nInstead: {code(instead)}{marked}"),
        },
        "defaultConfiguration": {"level": _level(entry)},
        "properties": {"kind": rule.kind, "mode": rule.mode},
    }


def _level(entry: RuleVerdict) -> str:
    return "warning" if entry.rule.mode == "warn" else "error"


def _results(index: int, entry: RuleVerdict, context: Context) -> Iterator[Object]:
    state = states(entry)
    seen: defaultdict[Key, int] = defaultdict(int)
    message = _message(f"{one_line(entry.rule.title).rstrip('.')}. Instead: {one_line(entry.rule.instead)}")
    for site in entry.sites:
        yield {
            **_result(index, entry, message, site.key, seen),
            **_standing(entry, state(site)),
            "locations": [_location(site.path, site.scope, context, _region(site))],
        }
    for row in entry.gone:
        for _ in range(row.count):
            yield {
                **_result(index, entry, message, row.key, seen),
                "level": "note",
                "baselineState": "absent",
                "locations": [_location(row.path, row.scope, context)],
            }


def _result(index: int, entry: RuleVerdict, message: Object, key: Key, seen: defaultdict[Key, int]) -> Object:
    seen[key] += 1
    parts = "\0".join((entry.rule.id, *key, str(seen[key])))
    fingerprint = sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "ruleId": inert(entry.rule.id),
        "ruleIndex": index,
        "message": message,
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }


def _standing(entry: RuleVerdict, state: State | None) -> Object:
    """Only a new site is worse than a note; without a baseline no site has a state."""
    standing: Object = {"level": _level(entry) if state == "new" else "note"}
    known = _BASELINE_STATES[state]
    return standing | ({"baselineState": known} if known else {})


def _location(path: str, scope: str, context: Context, region: Object | None = None) -> Object:
    physical: Object = {"artifactLocation": {"uri": _uri(context.in_repository(path)), "uriBaseId": _ROOT}}
    location: Object = {"physicalLocation": physical | ({"region": region} if region else {})}
    return location | ({"logicalLocations": [{"fullyQualifiedName": inert(scope)}]} if scope else {})


def _region(site: Site) -> Object:
    span = site.span
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _uri(path: str) -> str:
    """A relative URI; bytes of a name that are no UTF-8 stand in it as they are on disk."""
    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = path.encode("utf-8", "surrogatepass")
    return quote(data)


def _invocation(verdict: Verdict, context: Context) -> Object:
    return {
        "executionSuccessful": verdict.exit_code != 3,
        "exitCode": verdict.exit_code,
        "toolExecutionNotifications": [
            *(_problem(problem, context) for problem in verdict.census.problems),
            *({"level": "error", "message": _message(one_line(fault))} for fault in verdict.faults),
            *({"level": "note", "message": _message(one_line(note))} for note in verdict.notes),
        ],
    }


def _problem(problem: Problem, context: Context) -> Object:
    notification: Object = {"level": "error", "message": _message(one_line(problem.message))}
    if not problem.path:
        return notification
    region: Object | None = {"startLine": problem.line} if problem.line else None
    return notification | {"locations": [_location(problem.path, "", context, region)]}


def _message(text: str) -> Object:
    """A plain text message, in which nothing is a link."""
    return {"text": _literal(text).replace("](", "] (")}


def _literal(text: str) -> str:
    """The standard's placeholders stand in braces, so that literal ones are doubled."""
    return text.replace("{", "{{").replace("}", "}}")
