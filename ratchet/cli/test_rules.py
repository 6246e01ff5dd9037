"""`ratchet test-rules`: the examples of rules as their tests."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, rules_argument, shared_options
from ratchet.cli.output import document
from ratchet.wording import plural


@click.command("test-rules")
@rules_argument
@shared_options(*PLAIN)
def test_rules(common: Common, rules: tuple[str, ...]) -> int:
    """Try the examples of RULES, of all rules of the packs by default: bad ones are found, good ones are not.

    It ends with 1 when an example does not hold.

    \b
    Example:
      ratchet test-rules --pack ./rules/mine
      ratchet test-rules server-args-override
    """
    from ratchet.checking.rules import run_examples
    from ratchet.session import set_up

    with set_up(common.options, common.config) as setup:
        done = [run for tree in setup.trees for run in run_examples(setup.pack(tree), rules)]

    def render(format: str, _color: bool) -> str:
        if format == "json":
            listed = [{"id": run.rule.id, "failures": list(run.failures)} for run in done]
            return document("test-rules", {"rules": listed})
        lines = [f"{failure}\n" for run in done for failure in run.failures]
        failed = sum(bool(run.failures) for run in done)
        tried = sum(len(run.rule.examples) for run in done)
        hold = plural(len(done), "rule holds", "rules hold")
        outcome = f"{plural(failed, 'rule fails', 'rules fail')} of {len(done)}" if failed else hold
        return "".join([*lines, f"test-rules: {outcome}, {plural(tried, 'example')}\n"])

    common.output.write(render)
    return 1 if any(run.failures for run in done) else 0
