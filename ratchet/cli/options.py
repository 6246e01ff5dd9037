"""The options that all verbs share, and the two values that they become."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ratchet.cli.bar import Bar
from ratchet.cli.group import debug_option
from ratchet.cli.output import Output, note
from ratchet.frozen import dataclass
from ratchet.workspace import Options

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ratchet.model import Pack
    from ratchet.session import Session

REPORTS = ("text", "json", "sarif", "github", "junit", "markdown")
PLAIN = ("text", "json")

Verb = TypeVar("Verb", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Common:
    """What the shared options say: how to set up a run, and where its result goes."""

    options: Options
    config: Path | None
    output: Output

    @contextmanager
    def sessions(self) -> Iterator[tuple[Session, ...]]:
        """The chosen trees. What the cache has to say of itself goes to the standard error at the end."""
        from ratchet.session import open_sessions

        bar = Bar()
        try:
            with open_sessions(self.options, self.config, progress=bar.progress()) as sessions:
                yield sessions
        finally:
            bar.stop()
        for sentence in (*sessions[0].notes, *sessions[0].cache.notes):
            note(sentence)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """The tree, for a verb that works on one."""
        from ratchet.session import only_one

        with self.sessions() as sessions:
            yield only_one(sessions)


def shared_options(*formats: str) -> Callable[[Verb], Verb]:
    """Give a verb the options that all verbs take; it is called with a `Common` first.

    `formats` are those that it can print, the first one by default.
    """

    def decorate(function: Verb) -> Verb:
        @wraps(function)
        def call(**given: Any) -> Any:
            options = Options(
                root=given.pop("root"),
                packs=given.pop("pack"),
                engine=given.pop("engine"),
                baselines=given.pop("baselines"),
                cache_dir=given.pop("cache_dir"),
                no_cache=given.pop("no_cache"),
                jobs=given.pop("jobs"),
                trees=given.pop("tree"),
            )
            output = Output(given.pop("form"), given.pop("output"))
            return function(Common(options, given.pop("config"), output), **given)

        decorated: Callable[..., Any] = call
        for option in reversed((*_TREE_OPTIONS, *output_options(formats), debug_option)):
            decorated = option(decorated)
        return cast(Verb, decorated)

    return decorate


_FOLDER = click.Path(path_type=Path, file_okay=False)
_TREE_OPTIONS = (
    click.option("--root", type=_FOLDER, help="The source root, or a folder around it."),
    click.option(
        "--tree", multiple=True, metavar="NAME", help="A tree of the configuration, else all. Repeatable."
    ),
    click.option(
        "--pack", multiple=True, metavar="PACK", help="A rule pack: a name or a folder. Repeatable."
    ),
    click.option("--engine", metavar="VERSION", help="The engine's version, else what the tree says."),
    click.option("--baselines", type=_FOLDER, help="The folder of the baselines."),
    click.option("--cache-dir", type=_FOLDER, help="Where to remember what did not change."),
    click.option("--no-cache", is_flag=True, help="Neither read nor write a cache."),
    click.option("--jobs", "-j", type=click.IntRange(min=1), help="Processes; by default, one a core."),
    click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        help="The configuration file, else the one nearest to the working directory, else to --root.",
    ),
)


pack_option = click.option(
    "--pack", metavar="PACK", help="A pack's name or folder, else the configuration's, else the shipped one."
)
"""The option of verbs that look at a pack and need no tree."""


def chosen_pack(name: str | None, root: Path | None = None) -> Pack:
    """What `pack_option` says: the pack of that name or folder, else as `configured_pack` finds one."""
    from ratchet.session import configured_pack

    return configured_pack([name] if name else [], root)


def output_options(formats: Sequence[str]) -> tuple[Callable[..., Any], ...]:
    """The options `--format` and `--output`; the verb gets what they say as `form` and `output`."""

    def read(
        context: click.Context, parameter: click.Parameter, given: Sequence[str]
    ) -> tuple[tuple[str, Path], ...]:
        return tuple(_report_file(each, formats, context, parameter) for each in given)

    return (
        click.option("--format", "form", type=click.Choice(formats), help="What to print."),
        click.option(
            "--output",
            multiple=True,
            metavar="FORMAT:FILE",
            callback=read,
            help="Write a report to a file too. Repeatable.",
        ),
    )


def _report_file(
    given: str, formats: Sequence[str], context: click.Context, parameter: click.Parameter
) -> tuple[str, Path]:
    """The two parts of `FORMAT:FILE`."""
    format, _, file = given.partition(":")
    if format not in formats or not file:
        known = ", ".join(formats)
        raise click.BadParameter(f"{given!r} is not FORMAT:FILE, with {known} for FORMAT", context, parameter)
    return format, Path(file)


def complete_rules(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The rules whose ids begin with what was typed; nothing where the packs cannot be read."""
    from click.shell_completion import CompletionItem

    from ratchet.errors import RatchetError
    from ratchet.session import configured_pack

    try:
        pack = configured_pack(context.params.get("pack") or ())
    except RatchetError:
        return []
    return [CompletionItem(rule.id, help=rule.title) for rule in pack.rules if rule.id.startswith(incomplete)]


rules_argument = click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rules)
rule_argument = click.argument("rule", metavar="RULE", shell_complete=complete_rules)
rule_option = click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    shell_complete=complete_rules,
    help="Only this rule. Repeatable.",
)
