"""`ratchet pack`: what concerns rule packs."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import document, joined
from ratchet.wording import plural


@click.group("pack")
def pack() -> None:
    """Work on rule packs.

    \b
    Example:
      ratchet pack lint --pack ./rules/mine
    """


@pack.command("lint")
@shared_options(*PLAIN)
def lint_command(common: Common) -> int:
    """Check packs: unknown keys, expressions that can run away, examples that cannot be found.

    With --root, also exemptions, scopes and boundaries that match nothing in that tree. It ends with 3 when
    there is a fault.

    \b
    Example:
      ratchet pack lint --pack ./rules/mine --root src/shop
    """
    from ratchet.checking.rules import lint
    from ratchet.session import set_up

    with set_up(common.options, common.config) as setup:
        rooted = common.options.root is not None
        faults = [
            fault
            for tree in setup.trees
            for fault in lint(setup.pack(tree), setup.session(tree) if rooted else None)
        ]

    def render(format: str, _color: bool) -> str:
        if format == "json":
            return document("pack lint", {"faults": faults})
        closing = plural(len(faults), "fault") if faults else "no faults"
        return joined((*faults, f"pack lint: {closing}"))

    common.output.write(render)
    return 3 if faults else 0
