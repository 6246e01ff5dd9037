"""The rewriter on real releases: proofs hold, linters find nothing new, and LibCST makes the same bytes."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from ratchet.checking.migration import Request, plan_migration
from ratchet.codemod.model import Edit, Outcome, Rewritten
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite
from ratchet.codemod.splice import Splice, splice
from ratchet.session import Options, open_sessions
from ratchet.syntax.document import Document, read_document
from tests.codemod.linting import complaints
from tests.codemod.rewrite.oracle import replaced
from tests.codemod.rewrite.planning import STYLE, in_part
from tests.examples import times
from tests.trees import tree_of

RELEASES = ("0.5.16", "0.5.17")

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Planned:
    """The files of a release with their edits, and what became of each."""

    tasks: tuple[tuple[str, bytes, tuple[Edit, ...]], ...]
    outcomes: tuple[Outcome, ...]

    @property
    def rewritten(self) -> list[Rewritten]:
        """The files that changed."""
        return [outcome.rewritten for outcome in self.outcomes if outcome.rewritten is not None]


def made(task: tuple[str, bytes, tuple[Edit, ...]]) -> Outcome:
    """What becomes of one file."""
    outcome = rewrite(*task, STYLE)
    assert isinstance(outcome, Outcome), outcome
    return outcome


@pytest.fixture(scope="module", params=RELEASES)
def planned(request: pytest.FixtureRequest, trees_cache: Path) -> Planned:
    root = tree_of(request.param)
    with open_sessions(Options(root=root, cache_dir=trees_cache)) as sessions:
        plan = plan_migration(sessions[0], Request(everything=True, writes=True, chains=True)).plan
    by_path: dict[str, list[Edit]] = {}
    for edit in plan.edits:
        by_path.setdefault(edit.path, []).append(edit)
    tasks = tuple((path, (root / path).read_bytes(), tuple(edits)) for path, edits in by_path.items())
    return Planned(tasks, tuple(map(made, tasks)))


def test_there_is_something_to_do(planned: Planned) -> None:
    assert sum(len(file.edits) for file in planned.rewritten) > 200


def test_every_proof_holds(planned: Planned) -> None:
    problems = [problem for file in planned.rewritten for problem in prove(file, STYLE)]
    assert problems == []


def test_files_that_are_parsed_in_part_become_the_same(planned: Planned) -> None:
    found = [in_part(*task) for task in planned.tasks]
    assert sum(gaps > 0 for _, _, gaps in found) > 40
    clean = [
        (done, one) for (done, problems, _), one in zip(found, planned.outcomes, strict=True) if not problems
    ]
    assert [done for done, _ in clean] == [one for _, one in clean]
    assert len(clean) > 0.9 * len(found)


def test_linters_find_nothing_new(planned: Planned, tmp_path: Path) -> None:
    for file in planned.rewritten:
        for side, data in (("old", file.old), ("new", file.new)):
            place = tmp_path / side / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    assert complaints(tmp_path / "new") - complaints(tmp_path / "old") == Counter()


def test_any_number_of_processes_gives_the_same_bytes(planned: Planned) -> None:
    with ProcessPoolExecutor(2) as pool:
        assert tuple(pool.map(made, planned.tasks, chunksize=7)) == planned.outcomes


def test_order_of_edits_does_not_matter(planned: Planned) -> None:
    backwards = [made((path, data, edits[::-1])).rewritten for path, data, edits in planned.tasks]
    assert [file and file.new for file in backwards] == [
        outcome.rewritten and outcome.rewritten.new for outcome in planned.outcomes
    ]


def test_libcst_makes_the_same_bytes(planned: Planned) -> None:
    """Of one file in six: LibCST takes longer than all the rest."""
    chosen = planned.rewritten[:: max(1, 6 // times(1))]
    assert [file.path for file in chosen if not agrees(file)] == []
    assert sum(len(file.edits) for file in chosen) > 10


def agrees(file: Rewritten) -> bool:
    """Whether whole-module LibCST gives the same text, as far as expressions go.

    A change that removes a statement, or that shows what `f"{x=}"` prints, is no matter of expressions.
    """
    document = read_document(file.path, file.old)
    assert isinstance(document, Document)
    starts = {
        document.lines.starts[edit.span.line - 1] + edit.span.column - 1: edit
        for edit in file.edits
        if edit.operation != "write" or ".override(" in edit.before
    }
    changes = [Splice(*change) for change in file.changes if change[0] in starts and change[0] < change[1]]
    kept = [starts[change.start] for change in changes]
    names = {starts[change.start].id: change.text.strip().partition("(")[0] for change in changes}
    return splice(document.text, changes) == replaced(document.text, kept, names)
