"""The options of `ratchet migrate`, and the one value that they become."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ratchet.errors import UsageError
from ratchet.frozen import dataclass

if TYPE_CHECKING:
    from ratchet.checking.migration import Request
    from ratchet.checking.slicing import Slicing

Verb = TypeVar("Verb", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options of one call say; each is named as its option is."""

    paths: tuple[str, ...]
    namespaces: tuple[str, ...]
    everything: bool
    fields: tuple[str, ...]
    rule: str | None
    owner: str | None
    writes: bool
    parameters: bool
    chains: bool
    delete_dead: bool
    show_diff: bool
    explain: str | None
    check: bool
    write: bool
    interactive: bool
    no_typecheck: bool
    allow_dirty: bool
    allow_new: str | None
    batch_by: Any
    max_sites: int | None
    max_files: int | None
    commit: bool
    resume: bool
    undo: bool

    def request(self) -> Request:
        """What is to be migrated."""
        from ratchet.checking.migration import Request

        everything = self.everything or bool(self.explain and not (self.namespaces or self.fields))
        return Request(
            self.namespaces,
            everything,
            self.fields,
            self.paths,
            self.writes,
            self.parameters,
            self.chains,
            owner=self.owner,
            delete_dead=self.delete_dead,
        )

    def slicing(self) -> Slicing:
        """How the plan is cut."""
        from ratchet.checking.slicing import Slicing

        return Slicing(self.batch_by, self.max_sites, self.max_files)

    def refuse_contradictions(self) -> None:
        """Raise UsageError for options that do not go together."""
        modes = (
            ("--write", self.write or self.interactive),
            ("--check", self.check),
            ("--explain", self.explain is not None),
            ("--resume", self.resume),
            ("--undo", self.undo),
        )
        given = [name for name, is_given in modes if is_given]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} are different things: ask for one of them")
        if self.rule:
            self._refuse_beside_rule()
        if self.delete_dead and not self.writes:
            raise UsageError("--delete-dead deletes writes that nobody reads: add --writes")
        if self.commit and not (self.write or self.interactive):
            raise UsageError("--commit commits what is written: add --write")
        if self.allow_new is not None and not (self.write or self.interactive):
            raise UsageError("--allow-new is about what is written: add --write")
        if self.allow_new is not None and not self.allow_new.strip():
            raise UsageError("--allow-new needs a reason, which stands in the baselines: give it one")

    def _refuse_beside_rule(self) -> None:
        """A rule's codemod knows no record and no namespaces, and is no plan of many steps."""
        others = {
            "--namespace": self.namespaces,
            "--all": self.everything,
            "--field": self.fields,
            "--owner": self.owner,
            "--writes": self.writes,
            "--parameters": self.parameters,
            "--chains": self.chains,
            "--interactive": self.interactive,
            "--batch-by": self.batch_by,
            "--max-sites": self.max_sites,
            "--max-files": self.max_files,
            "--commit": self.commit,
        }
        for name, given in others.items():
            if given:
                raise UsageError(f"--rule rewrites what one rule counts; {name} does not go with it")


_OPTIONS = (
    click.argument("paths", nargs=-1, metavar="[PATH]..."),
    click.option(
        "--namespace", "namespaces", multiple=True, metavar="NAME", help="A namespace's fields. Repeatable."
    ),
    click.option("--all", "everything", is_flag=True, help="The fields of every namespace."),
    click.option("--field", "fields", multiple=True, metavar="NAME", help="Only this field. Repeatable."),
    click.option("--rule", metavar="RULE", help="The sites of a rule that says what they become."),
    click.option("--owner", metavar="NAME", help="Only files that this owner has, as CODEOWNERS says."),
    click.option("--writes", is_flag=True, help="Move writes too, each with all readers that may move."),
    click.option(
        "--parameters",
        is_flag=True,
        help="Move whole functions that are handed the record; drop the parameter where every call is known.",
    ),
    click.option("--chains", is_flag=True, help="Move the reads that borrow the record off another object."),
    click.option("--delete-dead", is_flag=True, help="Delete writes that nothing reads on either side."),
    click.option("--diff", "show_diff", is_flag=True, help="Show the changes line by line."),
    click.option("--explain", metavar="ID", help="Tell what becomes of one site, and why."),
    click.option("--check", is_flag=True, help="End with 1 where something can move."),
    click.option("--write", is_flag=True, help="Write the changes, and tighten the baselines with them."),
    click.option("--interactive", is_flag=True, help="Ask file by file, or site by site, then write."),
    click.option("--no-typecheck", is_flag=True, help="Write what no type checker has verified."),
    click.option("--allow-dirty", is_flag=True, help="Write beside changes that are not committed."),
    click.option(
        "--allow-new",
        metavar="REASON",
        help="Write although rules count new sites, and take those into the baselines with this reason.",
    ),
    click.option(
        "--batch-by",
        type=click.Choice(["namespace", "owner", "directory"]),
        help="Cut the plan into slices, by what their sites share.",
    ),
    click.option("--max-sites", type=int, metavar="N", help="Cut it into slices of at most N sites."),
    click.option("--max-files", type=int, metavar="N", help="Cut it into slices of at most N files."),
    click.option("--commit", is_flag=True, help="Write all slices, each in a git commit of its own."),
    click.option("--resume", is_flag=True, help="Finish a --write that was interrupted."),
    click.option("--undo", is_flag=True, help="Take back what the last --write changed."),
)


def migrate_options(function: Verb) -> Verb:
    """Give the verb its options; it is called with a `Wanted` in their place."""

    @wraps(function)
    def call(*given: Any, **options: Any) -> Any:
        names = Wanted.__match_args__
        wanted = Wanted(**{name: options.pop(name) for name in names})
        return function(*given, wanted=wanted, **options)

    decorated: Callable[..., Any] = call
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return cast(Verb, decorated)
