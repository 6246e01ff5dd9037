"""`ratchet check --message FILE`: the numbers that a commit message claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ratchet.cli.output import Output, document, joined, note
from ratchet.escape import display_path

if TYPE_CHECKING:
    from ratchet.checking.claims import Finding, Truth
    from ratchet.session import Session


def check_message(session: Session, message: Path, staged: bool, output: Output) -> int:
    """Compare what a message claims with what the trees say; 1 where a number is wrong, else 0."""
    from ratchet.checking.claims import check_claims

    text = message.read_bytes().decode("utf-8", "replace")
    findings = check_claims(session, text, staged)

    def render(format: str, _color: bool) -> str:
        if format == "json":
            return document(
                "check --message", {"claims": [_json(each) for each in findings]}, session.root_name
            )
        return joined(_lines(findings))

    output.write(render)
    for finding in findings:
        if finding.holds and len(finding.truths) > 1:
            rules = ", ".join(truth.rule for truth in finding.truths)
            note(f"{finding.claim.name!r} may be any of {rules}; write the rule's id to be clear")
    return 0 if all(finding.holds for finding in findings) else 1


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        claim = finding.claim
        said = f"{claim.old} -> {claim.new}"
        if finding.holds:
            yield f"right: {said} ({', '.join(t.rule for t in finding.truths if t.agrees(claim))})"
        elif finding.truths:
            yield f"wrong: {said}, the tree says {'; '.join(map(_shown, finding.truths))}"
            yield f"  {display_path(claim.sentence)}"
        else:
            name = display_path(claim.name)
            yield f"unclear: {said}, and no rule is called like {name!r}: write the rule's id"
            yield f"  {display_path(claim.sentence)}"
    if not findings:
        yield "no number of a rule is claimed"


def _shown(truth: Truth) -> str:
    return f"{truth.rule} {truth.before} -> {truth.now}"


def _json(finding: Finding) -> dict[str, object]:
    return {
        "old": finding.claim.old,
        "new": finding.claim.new,
        "sentence": finding.claim.sentence,
        "holds": finding.holds,
        "rules": [
            {"id": truth.rule, "old": truth.before, "old_baseline": truth.baseline, "new": truth.now}
            for truth in finding.truths
        ],
    }
