"""What `ratchet upgrade` found, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ratchet.escape import display_path
from ratchet.report.values import problems_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.upgrade.model import Finding, Upgrade


def upgrade_lines(found: Upgrade) -> Iterator[str]:
    """The findings, one a line, and how many there are of each kind."""
    for finding in found.findings:
        place = f"{display_path(finding.path)}:{finding.span.line}:{finding.span.column}"
        yield display_path(f"{place}: {finding.what}: {_becomes(finding, found)}")
    changes = Counter(finding.change for finding in found.findings if not finding.guarded)
    listed = ", ".join(f"{count} {change}" for change, count in sorted(changes.items())) or "nothing to do"
    guarded = sum(finding.guarded for finding in found.findings)
    rest = f", {guarded} guarded" if guarded else ""
    if found.rewritten:
        yield f"rewritten: {plural(len(found.rewritten), 'file')}"
    files = f"{found.analysed} of {plural(found.discovered, 'file')}"
    yield f"{found.old} to {found.new}: {listed}{rest}, in {files}"


def _becomes(finding: Finding, found: Upgrade) -> str:
    """What a finding says after its name."""
    words = {
        "gone": f"gone since {finding.since}",
        "moved": f"moved in {finding.since}",
        "refuses": f"only raises since {finding.since}",
        "changed": f"another kind of class since {finding.since}",
        "absent": f"neither {found.old} nor {found.new} has it",
        "unknown": "cannot be told",
    }
    parts = [words[finding.change]]
    if finding.guarded:
        parts[0] += " (guarded)"
    if finding.advice:
        parts.append(finding.advice)
    if finding.rewritable:
        parts[-1] += " [can be rewritten]"
    elif finding.kept:
        parts.append(f"stays: {finding.kept}")
    return "; ".join(parts)


def upgrade_json(found: Upgrade) -> dict[str, object]:
    """The report as `upgrade.schema.json` says, without its head."""
    return {
        "from": found.old,
        "to": found.new,
        "findings": [_finding_json(finding) for finding in found.findings],
        "rewritten": list(found.rewritten),
        "discovered": found.discovered,
        "analysed": found.analysed,
        "problems": problems_json(found.problems),
        "exit_code": found.exit_code,
    }


def _finding_json(finding: Finding) -> dict[str, object]:
    return {
        "path": finding.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "kind": finding.kind,
        "what": finding.what,
        "change": finding.change,
        "since": finding.since,
        "instead": finding.instead,
        "advice": finding.advice,
        "guarded": finding.guarded,
        "rewritable": finding.rewritable,
        "kept": finding.kept,
    }
