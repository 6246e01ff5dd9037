"""The command line: `ratchet`, also `python -m ratchet`."""

from __future__ import annotations

import sys

import click

from ratchet.cli.merge_driver import merge_driver
from ratchet.errors import RatchetError


@click.group()
def cli() -> None:
    """Count the call sites of an API that you retire, and let the count only fall."""


cli.add_command(merge_driver)


def main() -> None:
    """Run the command line; a fault of the input is one sentence and its exit code."""
    try:
        cli(prog_name="ratchet")
    except RatchetError as error:
        click.echo(f"ratchet: {error}", err=True)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
