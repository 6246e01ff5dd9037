"""Writes docs/rules.md, the table of the rules that are shipped: `python docs/rules.py`."""

from __future__ import annotations

from pathlib import Path

from ratchet.model import Pack, Rule
from ratchet.pack import load_packs, shipped_packs

PAGE = Path(__file__).with_name("rules.md")


def main() -> None:
    """Write the page."""
    PAGE.write_text(render(), encoding="utf-8")


def render() -> str:
    """The page, made of the rules' own texts."""
    packs = [load_packs([name], PAGE.parent) for name in sorted(shipped_packs())]
    parts = [
        "# The rules",
        "Made by `python docs/rules.py` out of the files in `rules/`; correct those, not this.",
    ]
    return "\n\n".join([*parts, *(text for pack in packs for text in _pack(pack))]) + "\n"


def _pack(pack: Pack) -> list[str]:
    rows = [
        f"| [`{rule.id}`](#{rule.id}) | {rule.kind} | {rule.mode} | {rule.title} |" for rule in pack.rules
    ]
    table = "\n".join(["| rule | kind | mode | counts |", "|---|---|---|---|", *rows])
    return [f"## {pack.name} {pack.version}", table, *(part for rule in pack.rules for part in _rule(rule))]


def _rule(rule: Rule) -> list[str]:
    shown = next(example for example in rule.examples if example.bad is not None)
    bad = shown.bad or ""
    good = next(example.good for example in rule.examples if example.good is not None)
    return [
        f"### {rule.id}",
        rule.why,
        f"*Instead:* {rule.instead}",
        *_exempt(rule),
        f"Counted:\n\n{_code(bad)}",
        *(f"with `{path}`:\n\n{_code(code)}" for path, code in shown.files),
        f"Not counted:\n\n{_code(good)}",
    ]


def _exempt(rule: Rule) -> list[str]:
    if not rule.exempt:
        return []
    entries = [
        f"- {', '.join(f'`{name}`' for name in (*entry.paths, *entry.scopes, *entry.fields))}: {entry.reason}"
        for entry in rule.exempt
    ]
    return ["Not counted in:", "\n".join(entries)]


def _code(code: str) -> str:
    return f"```python\n{code.strip()}\n```"


if __name__ == "__main__":
    main()
