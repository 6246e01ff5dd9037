"""`ratchet prove`: shows that the gate fails when it must."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, Common, rules_argument, shared_options
from ratchet.cli.output import Place, document, joined, place_of
from ratchet.escape import display_path
from ratchet.report.layout import placed
from ratchet.report.values import site_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.planting import Proof


@click.command("prove")
@rules_argument
@shared_options(*PLAIN)
def prove(common: Common, rules: tuple[str, ...]) -> int:
    """Plant each rule's bad example in a scratch copy, and show that the check fails and names it.

    Only what the check needs is copied, and nothing is written to the tree. It ends with 0 when every gate
    fails as it must, and with 1 when one does not. Without RULES it is all of them.

    \b
    Example:
      ratchet prove
      ratchet prove server-args-override
    """
    from datetime import date

    from ratchet.checking.planting import prove as prove_rules

    with common.session() as session:
        proofs = prove_rules(session, rules, date.today().isoformat())
        place = place_of(session)

    def render(format: str, _color: bool) -> str:
        if format == "json":
            return document("prove", {"rules": [_json(proof) for proof in proofs]}, session.root_name)
        return joined(_lines(proofs, place))

    common.output.write(render)
    return 0 if all(proof.holds for proof in proofs) else 1


def _lines(proofs: Sequence[Proof], place: Place) -> Iterator[str]:
    for proof in proofs:
        if proof.skipped is not None:
            yield f"{proof.rule.id}: not planted, {proof.skipped}"
            continue
        outcome = "fails as it must" if proof.holds else "DOES NOT FAIL AS IT MUST"
        if proof.holds and proof.rule.mode == "warn":
            outcome = "warns as it must"
        named = f"{plural(len(proof.sites), 'planted site')} of {proof.expected} named"
        yield f"{proof.rule.id}: {outcome} (exit code {proof.exit_code}, {named})"
        for site in proof.sites:
            where = f"{place(site.path)}:{site.span.line}:{site.span.column}"
            yield f"  {where}: {display_path(site.code)}"
        for fault in proof.faults:
            yield f"  the check could not judge: {display_path(placed(fault, place))}"
    broken = sum(not proof.holds for proof in proofs)
    yield (
        f"prove: {plural(broken, 'gate does', 'gates do')} not work of {len(proofs)}"
        if broken
        else f"prove: {plural(len(proofs), 'gate works', 'gates work')}"
    )


def _json(proof: Proof) -> dict[str, object]:
    return {
        "id": proof.rule.id,
        "holds": proof.holds,
        "skipped": proof.skipped,
        "path": proof.path or None,
        "exit_code": proof.exit_code,
        "expected": proof.expected,
        "sites": [site_json(site) for site in proof.sites],
        "faults": list(proof.faults),
    }
