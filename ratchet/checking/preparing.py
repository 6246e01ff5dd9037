"""A plan made ready to be written: rewritten, proved and type checked, over again without what failed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ratchet.checking.formatting import format_files
from ratchet.checking.migration import Migration
from ratchet.checking.rewriting import Workbench, plan_again
from ratchet.checking.typechecking import NOT_RUN, TypeCheck, checker_of, unverified
from ratchet.codemod.model import Edit, Refusal, Rewritten
from ratchet.codemod.proof import second_plan
from ratchet.errors import RatchetError
from ratchet.frozen import dataclass
from ratchet.model import Problem
from ratchet.session import Session

LEFT_OUT = TypeCheck("not run", "--no-typecheck")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is to be written: the plan as it is in the end, the edits that are made, the files with them.

    `failed` says which files failed their proof, and why: nothing of those is in `files`.
    """

    migration: Migration
    edits: tuple[Edit, ...]
    files: tuple[Rewritten, ...]
    failed: tuple[Problem, ...]
    typecheck: TypeCheck


def prepare(
    session: Session, migration: Migration, chosen: Collection[str] | None = None, typecheck: bool = True
) -> Prepared:
    """The files of a plan, or of the `chosen` edits of it, rewritten, proved, type checked and formatted.

    A file that fails its proof is left out, a site that fails the type check becomes a skip, and the plan is
    made again without them. A type check that cannot be done leaves the files unverified.
    """
    bench = Workbench(session, migration, chosen, proving=True)
    files, failed = _proved(session, bench)
    while True:
        checked = LEFT_OUT
        if typecheck:
            files, failed, checked = _checked(session, bench, files, failed)
        files, wrong = format_files(session, files)
        if not wrong:
            return Prepared(bench.finished(), bench.edits, files, failed, checked)
        _refuse(bench, wrong)
        files, failed = _proved(session, bench, failed + wrong)


def _proved(
    session: Session, bench: Workbench, failed: tuple[Problem, ...] = ()
) -> tuple[tuple[Rewritten, ...], tuple[Problem, ...]]:
    """The files of which every proof holds, and what is wrong with the others."""
    while True:
        files = bench.rewrite()
        found = _prove(session, bench, files)
        failed += tuple(found)
        if not found:
            return files, failed
        _refuse(bench, found)


def _refuse(bench: Workbench, problems: Sequence[Problem]) -> None:
    """Refuse the edits of the files that have a problem."""
    wrong = {problem.path: problem for problem in reversed(problems)}
    bench.keep(wrong)
    bench.refuse(
        {
            edit.id: Refusal("unproved", f"{edit.path} failed its proof: {wrong[edit.path].message}")
            for edit in bench.edits
            if edit.path in wrong
        }
    )


def _prove(session: Session, bench: Workbench, files: Sequence[Rewritten]) -> list[Problem]:
    """What is wrong with files: each by itself, and what a second plan of the whole tree would move."""
    again: dict[str, list[Edit]] = {}
    for edit in plan_again(session, bench.migration, files).edits if files else ():
        again.setdefault(edit.path, []).append(edit)
    stays = bench.stays
    found: list[Problem] = []
    for file in files:
        found += bench.problems(file) or second_plan(file, again.get(file.path, ()), stays)
    return found


def _checked(
    session: Session, bench: Workbench, files: tuple[Rewritten, ...], failed: tuple[Problem, ...]
) -> tuple[tuple[Rewritten, ...], tuple[Problem, ...], TypeCheck]:
    """The files that the type checker has nothing against."""
    if not files:
        return files, failed, NOT_RUN
    try:
        with checker_of(bench.migration.tree) as checker:
            while objections := checker.objections(files):
                if objections.drops:
                    bench.keep_parameters(objections.drops)
                if objections.edits:
                    bench.refuse(objections.edits)
                files, failed = _proved(session, bench, failed)
    except RatchetError as error:
        return files, failed, unverified(error)
    return files, failed, TypeCheck("clean", "", sum(len(file.edits) for file in files))
