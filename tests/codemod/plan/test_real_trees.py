"""The plan on real releases: the ledger agrees with the count, and the edits with the maintainers."""

from __future__ import annotations

import runpy
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratchet.checking.migration import Migration, Request, plan_migration
from ratchet.checking.namespace import count_namespace
from ratchet.checking.rewriting import plan_again, rewrite_all, tree_after
from ratchet.codemod.ledger import entries_of, totals
from ratchet.codemod.prediction import Change
from ratchet.frozen import replace
from ratchet.scan import Memory
from ratchet.session import Options, Session, open_sessions
from tests.trees import TREES, tree_of

AGREEMENT = Path(__file__).parents[3] / "benchmarks" / "agreement"
RELEASES = ("0.5.16", "0.5.17")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=RELEASES)
def session(request: pytest.FixtureRequest, trees_cache: Path) -> Iterator[Session]:
    options = Options(root=tree_of(request.param), cache_dir=trees_cache)
    with open_sessions(options) as sessions:
        yield replace(sessions[0], memory=Memory())


@pytest.fixture(scope="module")
def everything(session: Session) -> Migration:
    return plan_migration(session, Request(everything=True, writes=True))


def test_the_ledger_agrees_with_the_count_of_every_namespace(session: Session, everything: Migration) -> None:
    counted: Counter[str] = Counter()
    for namespace in session.pack.namespaces:
        for site in count_namespace(session, namespace.path).verdict.rules[0].sites:
            counted[site.namespace or ""] += 1
    planned = Counter(totals(everything.plan))
    del planned[""]
    assert planned == counted


@pytest.mark.parametrize("namespace", ["parallel", "exec", "exec.moe", "schedule"])
def test_the_ledger_of_one_namespace_agrees_with_its_count(session: Session, namespace: str) -> None:
    plan = plan_migration(session, Request((namespace,))).plan
    counted = count_namespace(session, namespace).verdict.rules[0].count
    assert len(plan.edits) + len(plan.skips) == counted


UNPUBLISHED = {
    ("srt/disaggregation/encode_server.py", "_register_encoder_url_with_bootstrap"),
    ("srt/lora/marlin_lora_temp/policy.py", "validate_experimental_sgl_marlin_server_args"),
    ("srt/managers/detokenizer_manager.py", "DetokenizerManager.init_running_status"),
    ("srt/utils/common.py", "configure_logger"),
    ("srt/utils/common.py", "is_no_spec_infer_or_topk_one"),
}
"""Functions that are handed the record where nothing is published: a namespace would raise there."""


def test_what_runs_before_anything_is_published_stays(session: Session) -> None:
    plan = plan_migration(session, Request(everything=True, parameters=True)).plan
    assert {(skip.path, skip.scope) for skip in plan.skips} >= UNPUBLISHED
    assert not {(edit.path, edit.scope) for edit in plan.edits} & UNPUBLISHED


def test_every_site_has_an_id_of_its_own(everything: Migration) -> None:
    ids = [entry.id for entry in entries_of(everything.plan)]
    assert len(set(ids)) == len(ids)


def test_nothing_is_left_after_rewriting(session: Session, everything: Migration) -> None:
    migration, rewritten = rewrite_all(session, everything)
    refused = {skip.id for skip in migration.plan.skips}
    again = plan_again(session, migration, rewritten)
    assert [edit for edit in again.edits if edit.id not in refused] == []


def test_the_recount_is_what_was_predicted(session: Session, everything: Migration) -> None:
    migration, rewritten = rewrite_all(session, everything)
    rules = [rule for rule in session.rules if rule.kind == "access"]
    before = session.count(everything.tree).sites
    after = session.count(tree_after(session, migration, rewritten)).sites
    counted = [Change(rule.id, len(before[rule.id]), len(after[rule.id])) for rule in rules]
    assert [change for change in counted if change.before != change.after] == list(migration.baseline)


def test_the_maintainers_agree(monkeypatch: pytest.MonkeyPatch, trees_cache: Path) -> None:
    for release in RELEASES:
        tree_of(release)
    monkeypatch.setattr(sys, "path", [*sys.path])
    bench = runpy.run_path(str(AGREEMENT / "measure.py"))
    found = bench["measure"](TREES, trees_cache)
    assert found.precision >= 0.97
    assert found.recall >= 0.95
    page = (AGREEMENT / "README.md").read_text(encoding="utf-8")
    assert page == bench["render"](found), "run `python benchmarks/agreement/measure.py`"
