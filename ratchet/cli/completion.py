"""`ratchet completion`: the script that completes verbs, options and rules in a shell."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, shared_options


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@shared_options(PLAIN[0])
def completion(common: Common, shell: str) -> int:
    """Print the script that makes SHELL complete verbs, options and rules.

    \b
    Example:
      ratchet completion bash > ~/.local/share/bash-completion/completions/ratchet
      ratchet completion fish > ~/.config/fish/completions/ratchet.fish
    """
    from click.shell_completion import get_completion_class

    from ratchet.cli.group import cli

    made = get_completion_class(shell)
    assert made is not None
    common.output.write(lambda _format, _color: made(cli, {}, "ratchet", "_RATCHET_COMPLETE").source())
    return 0
