"""Short spellings: `"a.py f x.y"` is a site or a row, `"a.py f x.y 2"` two of them; `-` is no scope."""

from __future__ import annotations

from collections.abc import Iterable

from ratchet.model import AnyMatch, Baseline, Census, Mode, Problem, Row, Rule, RuleVerdict, Site, Span

FINGERPRINT = "f00d"


def rule(
    id: str = "writes", mode: Mode = "ratchet", fingerprint: str = FINGERPRINT, formerly: tuple[str, ...] = ()
) -> Rule:
    return Rule(id, "copy", AnyMatch(), mode, "t", "w", "i", fingerprint, formerly=formerly)


def row(spec: str) -> Row:
    path, scope, code, *rest = spec.split(" ", 4)
    count = int(rest[0]) if rest else 1
    return Row(path, "" if scope == "-" else scope, code, count, rest[1] if len(rest) > 1 else "")


def baseline(*specs: str, rule: str = "writes", fingerprint: str = FINGERPRINT) -> Baseline:
    return Baseline(rule, fingerprint, tuple(sorted(map(row, specs))))


def sites(*specs: str, rule: str = "writes") -> list[Site]:
    """Sites on the lines 1, 2, 3... in the order in which they are given."""
    found: list[Site] = []
    for each in map(row, specs):
        for _ in range(each.count):
            line = len(found) + 1
            span = Span(line, 5, line, 9)
            found.append(Site(rule, each.path, span, each.scope, each.code))
    return found


def census(*judged: str, complete: bool = True, problems: tuple[str, ...] = ()) -> Census:
    return Census(
        discovered=len(judged) + len(problems),
        analysed=len(judged),
        judged_by_bytes=0,
        judged=frozenset(judged),
        complete=complete,
        problems=tuple(Problem(path, 1, "invalid syntax") for path in problems),
    )


def lines(entry: RuleVerdict) -> list[str]:
    """A verdict as text: `known 2`, `new a.py:3 f x`, `moved a.py:3 f x < b.py g`, `gone a.py f x 2`."""
    shown = [f"known {len(entry.known)}"] if entry.known else []
    shown += [f"new {_site(site)}" for site in entry.new]
    shown += [f"moved {_site(move.site)} < {move.row.path} {move.row.scope or '-'}" for move in entry.moved]
    return shown + [f"gone {spec}" for spec in specs(entry.gone)]


def specs(rows: Iterable[Row]) -> list[str]:
    return [f"{row.path} {row.scope or '-'} {row.code} {row.count} {row.reason}".rstrip() for row in rows]


def _site(site: Site) -> str:
    return f"{site.path}:{site.span.line} {site.scope or '-'} {site.code}"
