"""Writes docs/cli.md out of the help texts of the commands: `python docs/manual.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ratchet.cli.group import VERBS, cli

PAGE = Path(__file__).parent / "cli.md"

HEAD = """\
# The command line

<!-- Written by docs/manual.py out of the help texts of the commands. -->

| exit code | |
|---|---|
| 0 | clean, or done |
| 1 | new or stale sites; an example that does not hold, a gate that does not work, a wrong number |
| 2 | wrong arguments or a wrong configuration file |
| 3 | something could not be judged (a file, a rule, a baseline), or the pack lacks what the verb needs |
| 130 | interrupted |

Results go to the standard output, everything else to the standard error. All commands print `text` or `json`;
`check` and `count` also `sarif`, `github`, `junit` and `markdown`.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_shared(), *(line for name in VERBS for line in _verb(name))])


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def _shared() -> Iterator[str]:
    yield "## Options that commands share\n"
    yield from _table([each for each in _options("count") if _name(each) in _shared_names()])


def _shared_names() -> set[str]:
    """The options that both of two commands have, which have nothing else in common."""
    return {_name(each) for each in _options("count")} & {_name(each) for each in _options("prove")}


def _verb(name: str) -> Iterator[str]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    yield from _command(f"ratchet {name}", command, 2)
    if isinstance(command, click.Group):
        for below, each in sorted(command.commands.items()):
            yield from _command(f"ratchet {name} {below}", each, 3)


def _command(title: str, command: click.Command, level: int) -> Iterator[str]:
    arguments = [
        each.make_metavar(click.Context(command))
        for each in command.params
        if isinstance(each, click.Argument)
    ]
    yield f"{'#' * level} {' '.join(['`' + title, *arguments])}`\n"
    yield from _prose(command.help or "")
    own = [
        each
        for each in command.params
        if isinstance(each, click.Option) and _name(each) not in _shared_names()
    ]
    if own:
        yield from _table(own)


def _prose(text: str) -> Iterator[str]:
    """The paragraphs of a help text; those that click is told to leave alone are commands."""
    for paragraph in text.strip().split("\n\n"):
        lines = paragraph.strip("\n").splitlines()
        if lines[0].strip() == "\b":
            title, *commands = (line.strip() for line in lines[1:])
            yield "\n".join([title, "", "```console", *(f"$ {line}" for line in commands), "```", ""])
        else:
            yield " ".join(line.strip() for line in lines) + "\n"


def _table(options: list[click.Option]) -> Iterator[str]:
    rows = [f"| `{_spelled(each)}` | {(each.help or '').replace('|', chr(92) + '|')} |" for each in options]
    yield "\n".join(["| option | |", "|---|---|", *rows, ""])


def _spelled(option: click.Option) -> str:
    spelled = ", ".join(option.opts)
    if _name(option) == "--format":
        return "--format FORMAT"  # which formats there are, differs
    if option.is_flag:
        return spelled
    if isinstance(option.type, click.Choice):
        return f"{spelled} {'|'.join(map(str, option.type.choices))}".replace("|", "\\|")
    return f"{spelled} {option.metavar or option.type.name.upper()}"


def _name(option: click.Option) -> str:
    return option.opts[0]


def _options(verb: str) -> list[click.Option]:
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    return [each for each in command.params if isinstance(each, click.Option)]


if __name__ == "__main__":
    main()
