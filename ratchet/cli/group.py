"""The command `ratchet`: a group whose verbs are imported when they run, since start-up is measured."""

from __future__ import annotations

from importlib import import_module

import click

from ratchet import __version__
from ratchet.frozen import dataclass

VERBS = {
    "accesses": ("accesses:accesses", "Print what the analysis sees in one file."),
    "adopt": ("adopt:adopt", "Record the sites of today as a baseline."),
    "allow": ("allow:allow", "Add new sites to a baseline, with a reason."),
    "blame": ("blame:blame", "Say since when each site is there, and by whom."),
    "check": ("check:check", "Fail when a site was added."),
    "completion": ("completion:completion", "Print the script that completes commands in a shell."),
    "count": ("count:count", "Count the sites of every rule."),
    "diff": ("diff:diff", "Show what came and went since a commit."),
    "explain": ("explain:explain", "Say what a rule is for, or who counts a line."),
    "flow": ("flow:flow", "Show who writes and who reads the record's fields."),
    "history": ("history:history", "Show the burn-down of every rule, out of git."),
    "init": ("init:init", "Write a configuration, a starter pack, and a folder for baselines."),
    "merge-driver": ("merge_driver:merge_driver", "Merge two versions of a baseline, for git."),
    "migrate": ("migrate:migrate", "Move the record's accesses to its namespaces."),
    "pack": ("pack:pack", "Check rule packs."),
    "plan": ("plan:plan", "Split what is left into batches that can be reviewed."),
    "prove": ("prove:prove", "Show that the check fails when it must."),
    "report": ("report:report", "Write the migration as one HTML page."),
    "roles": ("roles:roles", "Show which namespaces the code of each role can read."),
    "schema": ("schema:schema", "Show the record's fields and their namespaces."),
    "sites": ("sites:sites", "List the sites of a rule, in groups."),
    "status": ("status:status", "Show how far the migration is, and what to do next."),
    "stubs": ("stubs:stubs", "Write typed stubs of the target library."),
    "surface": ("surface:surface", "Record what an engine offers to code that uses it."),
    "test-rules": ("test_rules:test_rules", "Try the examples of rules."),
    "tighten": ("tighten:tighten", "Record progress in the baselines."),
    "upgrade": ("upgrade:upgrade", "Find what a newer engine breaks in code that uses it."),
}
"""The verbs: where each lies below this package (its module, and its name there), and what it is for."""


@dataclass(slots=True)
class RunState:
    """What a run has to know after it failed: whether tracebacks were asked for."""

    debug: bool = False


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


class VerbGroup(click.Group):
    """A group that imports the module of a verb when that verb is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs, sorted."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name, None where there is none."""
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name][0].partition(":")
        command = getattr(import_module(f"ratchet.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, purpose) in sorted(VERBS.items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that the arguments name; a name that is none fails with the nearest one that is."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from ratchet.pack.table import nearest

            ctx.fail(f"there is no command {args[0]!r}{nearest(args[0], VERBS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the verb. Ctrl-C is told apart here, before click turns it into an empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Interrupted from error


def _remember_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    state = context.find_object(RunState)
    if value and state is not None:
        state.debug = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember_debug,
    help="Show the traceback of an error.",
)


@click.command(
    "ratchet",
    cls=VerbGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Rules say what is counted, and come in packs. `ratchet VERB --help` shows an example.",
)
@click.version_option(__version__, "-V", "--version", message="ratchet %(version)s")
@debug_option
def cli() -> None:
    """Count the call sites of an API that you retire, and let the count only fall.

    \b
    Example:
      ratchet adopt --all     # record the sites of today
      ratchet check           # fail when one is added
      ratchet tighten         # record progress
    """
