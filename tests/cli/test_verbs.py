"""Each verb over the small project: the whole of what it says."""

from __future__ import annotations

import json

import pytest

from ratchet.report.values import head
from tests.cli.project import CART, FILES, Outcome, Project, without_time

ADOPTED = """\
settings-override  none → 2  baselines/settings-override.tsv
  + src/shop/cart.py in Cart.hasty: self.settings.override(timeout)
  + src/shop/cart.py in Cart.patient: self.settings.override(timeout)
settings-read  none → 1  baselines/settings-read.tsv
  + src/shop/cart.py in Cart.patient: get_settings().timeout
"""
BASELINE = """\
# Kept by `ratchet tighten`, raised only by `ratchet allow RULE PATH --reason WHY`, never edited.
cart.py\tCart.hasty\tself.settings.override(timeout)\t1
cart.py\tCart.patient\tself.settings.override(timeout)\t1
"""


# count and accesses


def test_count(project: Project) -> None:
    outcome = project.run("count")
    assert (outcome.code, without_time(outcome.out), outcome.err) == (
        0,
        """\
settings-override  2
settings-read      1
shell              0
5 files discovered, 3 analysed, 2 judged by their bytes, 0 not judged
count: 3 sites
""",
        "",
    )


def test_count_of_some_rules(project: Project) -> None:
    assert project.run("count", "shell", "settings-read").out.startswith(
        "settings-read  1\nshell          0\n5 files"
    )


def test_a_former_name_is_a_rule_still(project: Project) -> None:
    assert project.run("count", "settings-writer").out.startswith("settings-override  2\n")


@pytest.mark.parametrize(
    ("namespace", "sites"),
    [
        pytest.param("net", [("write", "timeout"), ("read", "timeout"), ("write", "timeout")], id="net"),
        pytest.param("ui", [], id="ui"),
    ],
)
def test_count_of_a_namespace(project: Project, namespace: str, sites: list[tuple[str, str]]) -> None:
    outcome = project.run("count", "--namespace", namespace, "--format=json")
    (rule,) = json.loads(outcome.out)["rules"]
    assert (outcome.code, rule["id"], rule["count"]) == (0, f"namespace:{namespace}", len(sites))
    assert [(site["operation"], site["field"]) for site in rule["sites"]] == sites


def test_the_pipeline_is_outside_of_a_namespace(project: Project) -> None:
    inside = "from shop.context import get_settings\n\n\ndef resolve():\n    return get_settings().timeout\n"
    project.write("src/shop/settings.py", FILES["src/shop/settings.py"] + "\n\n" + inside)
    counted = project.run("count", "--namespace=net").out
    project.write("src/shop/other.py", inside)
    assert counted.startswith("namespace:net  3\n")
    assert project.run("count", "--namespace=net").out.startswith("namespace:net  4\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(
            ["--namespace=nets"],
            "there is no namespace nets; did you mean `net`?; there are net, ui",
            id="unknown",
        ),
        pytest.param(
            ["--namespace=net", "shell"],
            "--namespace counts accesses whatever rules say: name either it or rules",
            id="with-rules",
        ),
    ],
)
def test_wrong_namespaces(project: Project, arguments: list[str], sentence: str) -> None:
    assert project.run("count", *arguments) == Outcome(2, "", f"ratchet: {sentence}\n")


ACCESSES = """\
9:9    call   supplied  self      override     self.settings.override(timeout)
9:9    write  supplied  self      net.timeout  self.settings.override(timeout)
10:16  read   global    accessor  net.timeout  get_settings().timeout
13:9   call   supplied  self      override     self.settings.override(timeout)
13:9   write  supplied  self      net.timeout  self.settings.override(timeout)
"""


def test_accesses(project: Project) -> None:
    outcome = project.run("accesses", "src/shop/cart.py")
    assert outcome == Outcome(0, ACCESSES + "src/shop/cart.py: 5 accesses\n", "")


def test_accesses_names_the_file_as_it_was_asked_for(project: Project) -> None:
    project.write("src/shop/broken.py", "def f(settings:\n")
    outcome = project.run("accesses", "src/shop/broken.py")
    fault = "src/shop/broken.py:1: not judged: does not parse: '(' was never closed\n"
    assert outcome == Outcome(3, f"{fault}src/shop/broken.py: 0 accesses\n", "")


def test_accesses_of_the_standard_input(project: Project) -> None:
    outcome = project.run("accesses", "-", stdin=CART)
    assert outcome == Outcome(0, ACCESSES + "example.py: 5 accesses\n", "")


def test_accesses_of_a_file_in_no_tree(project: Project) -> None:
    project.write("loose.py", CART)
    assert project.run("accesses", "loose.py") == Outcome(0, ACCESSES + "loose.py: 5 accesses\n", "")


def test_accesses_without_any_tree(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = Project(tmp_path_factory.mktemp("elsewhere"))
    elsewhere.write("loose.py", CART)
    pack = project.folder / "rules/shop"
    outcome = elsewhere.run("accesses", "loose.py", "--pack", str(pack))
    assert outcome == Outcome(0, ACCESSES + "loose.py: 5 accesses\n", "")


def test_accesses_of_what_does_not_parse(project: Project) -> None:
    project.write("src/shop/broken.py", "def f(settings:\n")
    outcome = project.run("accesses", "src/shop/broken.py", "--format=json")
    assert outcome.code == 3
    assert json.loads(outcome.out)["problems"] == [
        {"path": "broken.py", "line": 1, "message": "does not parse: '(' was never closed"}
    ]


# adopt, tighten, allow


def test_adopt(project: Project) -> None:
    assert project.run("adopt", "--all") == Outcome(0, ADOPTED, "")
    text = project.read("baselines/settings-override.tsv")
    assert text.splitlines()[0] == "# ratchet baseline format 1"
    assert text.endswith(BASELINE)
    assert not (project.folder / "baselines/shell.tsv").exists()


def test_adopting_again_changes_nothing(adopted: Project) -> None:
    before = adopted.read("baselines/settings-override.tsv")
    outcome = adopted.run("adopt", "settings-override", "--expect=2")
    assert outcome == Outcome(
        0, "settings-override  2 → 2  baselines/settings-override.tsv\n  unchanged\n", ""
    )
    assert adopted.read("baselines/settings-override.tsv") == before


def test_adopt_as_json(project: Project) -> None:
    outcome = project.run("adopt", "settings-read", "--format=json")
    assert json.loads(outcome.out) == {
        **head("adopt", "src/shop"),
        "notes": [],
        "changes": [
            {
                "rule": "settings-read",
                "file": "baselines/settings-read.tsv",
                "old": None,
                "new": 1,
                "added": [
                    {
                        "path": "cart.py",
                        "scope": "Cart.patient",
                        "code": "get_settings().timeout",
                        "count": 1,
                        "reason": "",
                    }
                ],
                "removed": [],
                "moved": 0,
                "written": True,
            }
        ],
    }


CHANGED_RULE = FILES["rules/shop/settings-override.toml"].replace(
    'fields = ["override"]', 'fields = ["override", "update"]'
)


def test_a_changed_rule_asks_for_a_reason_only_where_it_adds(adopted: Project) -> None:
    adopted.write("rules/shop/settings-override.toml", CHANGED_RULE)
    assert adopted.run("check").code == 3
    assert adopted.run("adopt", "settings-override").code == 0
    assert adopted.run("check").code == 0


def test_a_changed_rule_that_counts_more(adopted: Project) -> None:
    adopted.write("rules/shop/settings-override.toml", CHANGED_RULE)
    adopted.write(
        "src/shop/cart.py", CART + "\n    def more(self):\n        self.settings.update(timeout=2)\n"
    )
    refused = adopted.run("adopt", "settings-override")
    assert refused == Outcome(
        2,
        "",
        "ratchet: the new version of the rule settings-override adds 1 site, in cart.py (Cart.more):"
        " run `ratchet adopt settings-override --reason WHY`\n",
    )
    assert adopted.run("adopt", "settings-override", "--reason=update too").code == 0
    assert "Cart.more\tself.settings.update(timeout)\t1\tupdate too\n" in adopted.read(
        "baselines/settings-override.tsv"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(
            [], "adopt takes the rules to adopt, or --all for every one; `ratchet count` lists them"
        ),
        pytest.param(
            ["shell"],
            "the rule shell is a ban, which allows no site and has no baseline:"
            " rewrite the sites that `ratchet sites shell` lists",
        ),
        pytest.param(["--all", "--expect=3"], "--expect is about one rule, and there are 2: name one"),
        pytest.param(
            ["settings-override", "--expect=1"],
            "the rule settings-override has 2 sites, not 1 as --expect says:"
            " run `ratchet sites settings-override` to see them",
        ),
        pytest.param(["none"], "no rule is called none; `ratchet count` lists them all"),
    ],
    ids=["nothing", "a-ban", "expect-of-all", "expect-another", "unknown"],
)
def test_what_cannot_be_adopted(project: Project, arguments: list[str], sentence: str) -> None:
    assert project.run("adopt", *arguments) == Outcome(2, "", f"ratchet: {sentence}\n")
    assert not (project.folder / "baselines").exists()


def test_adopting_does_not_raise_a_baseline(adopted: Project) -> None:
    adopted.edit("src/shop/cart.py", "timeout=1", "retries=1")
    before = adopted.read("baselines/settings-override.tsv")
    assert adopted.run("adopt", "settings-override") == Outcome(
        2,
        "",
        "ratchet: the rule settings-override already has a baseline, which adopting would raise by 1 site:"
        " rewrite them, or run `ratchet allow settings-override PATH --reason WHY`\n",
    )
    assert adopted.read("baselines/settings-override.tsv") == before


def test_tighten(adopted: Project) -> None:
    adopted.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=1)', "pass")
    assert adopted.run("tighten") == Outcome(
        0,
        "settings-override  2 → 1  baselines/settings-override.tsv\n"
        "  - src/shop/cart.py in Cart.hasty: self.settings.override(timeout)\n",
        "",
    )
    assert adopted.run("check").code == 0


def test_tighten_never_adds(adopted: Project) -> None:
    adopted.write("src/shop/cart.py", CART + "\n    def n(self):\n        self.settings.override('x', a=1)\n")
    before = adopted.read("baselines/settings-override.tsv")
    assert adopted.run("tighten") == Outcome(0, "nothing to tighten: every row has its sites\n", "")
    assert adopted.read("baselines/settings-override.tsv") == before


def test_tighten_follows_what_moved(adopted: Project) -> None:
    (adopted.folder / "src/shop/cart.py").rename(adopted.folder / "src/shop/basket.py")
    assert adopted.run("check").code == 1
    assert adopted.run("tighten", "settings-override").out == (
        "settings-override  2 → 2  baselines/settings-override.tsv\n  2 moved\n"
    )
    assert "basket.py\tCart.hasty" in adopted.read("baselines/settings-override.tsv")
    assert "cart.py\t" in adopted.read("baselines/settings-read.tsv")


def test_tighten_takes_a_former_name_over(adopted: Project) -> None:
    folder = adopted.folder / "baselines"
    (folder / "settings-override.tsv").rename(folder / "settings-writer.tsv")
    assert "uses settings-writer.tsv, its former name" in adopted.run("check").out
    assert adopted.run("tighten").code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["settings-override.tsv", "settings-read.tsv"]
    assert adopted.run("check").code == 0


def test_nothing_is_tightened_after_a_run_that_could_not_judge(adopted: Project) -> None:
    adopted.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=1)', "pass")
    adopted.write("src/shop/broken.py", "def f(settings:\n")
    before = adopted.read("baselines/settings-override.tsv")
    outcome = adopted.run("tighten")
    assert (outcome.code, outcome.out) == (3, "")
    assert "nothing was tightened, since this run could not judge everything: broken.py:1" in outcome.err
    assert adopted.read("baselines/settings-override.tsv") == before


NEW = '\n    def slow(self):\n        self.settings.override("cart", retries=9)\n'


@pytest.mark.parametrize("path", ["src/shop/cart.py", "cart.py"], ids=["from-here", "from-the-root"])
def test_allow(adopted: Project, path: str) -> None:
    adopted.write("src/shop/cart.py", CART + NEW)
    assert adopted.run("allow", "settings-override", path, "--reason", "until the move") == Outcome(
        0,
        "settings-override  2 → 3  baselines/settings-override.tsv\n"
        "  + src/shop/cart.py in Cart.slow: self.settings.override(retries)\n",
        "",
    )
    assert "Cart.slow\tself.settings.override(retries)\t1\tuntil the move\n" in adopted.read(
        "baselines/settings-override.tsv"
    )
    assert adopted.run("check").code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(
            ["shell", "src/shop/cart.py", "--reason=x"],
            "ratchet: the rule shell is a ban, which allows no site and has no baseline:"
            " rewrite the sites that `ratchet sites shell` lists\n",
            id="a-ban",
        ),
        pytest.param(
            ["settings-override", "src/shop/context.py", "--reason=x"],
            "ratchet: the rule settings-override has no new site in context.py, so there is nothing to allow:"
            " run `ratchet check` to see where new sites are\n",
            id="nothing-new",
        ),
        pytest.param(
            ["settings-override", "src/shop/cart.py", "--reason= "],
            "ratchet: allowing sites of the rule settings-override needs a reason:"
            " run `ratchet allow settings-override cart.py --reason WHY`\n",
            id="blank-reason",
        ),
        pytest.param(["settings-override", "src/shop/cart.py"], "Missing option '--reason'", id="no-reason"),
        pytest.param(
            ["settings-override", "src", "--reason=x"], "is no Python file of the tree", id="a-folder"
        ),
        pytest.param(
            ["settings-override", "src/shop/cart.py", "--reason=x", "--until=soon"], "'--until'", id="no-date"
        ),
    ],
)
def test_what_cannot_be_allowed(adopted: Project, arguments: list[str], sentence: str) -> None:
    adopted.write("src/shop/cart.py", CART + NEW)
    before = adopted.read("baselines/settings-override.tsv")
    outcome = adopted.run("allow", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert adopted.read("baselines/settings-override.tsv") == before


# sites, explain, prove, rules


@pytest.mark.parametrize(
    ("by", "lines"),
    [
        pytest.param("file", ["src/shop/cart.py: 2", "in 1 group"], id="file"),
        pytest.param(
            "scope",
            ["src/shop/cart.py Cart.hasty: 1", "src/shop/cart.py Cart.patient: 1", "in 2 groups"],
            id="scope",
        ),
        pytest.param("field", ["override: 2", "in 1 group"], id="field"),
        pytest.param("origin", ["supplied: 2", "in 1 group"], id="origin"),
        pytest.param("owner", ["@shop/cart @ann: 2", "in 1 group"], id="owner"),
    ],
)
def test_sites(committed: Project, by: str, lines: list[str]) -> None:
    committed.write("CODEOWNERS", "* @all\n/src/shop/cart.py @shop/cart @ann\n")
    outcome = committed.run("sites", "settings-override", "--by", by)
    heads = [line for line in outcome.out.splitlines() if not line.startswith("  ")]
    assert (outcome.code, heads) == (0, [*lines[:-1], f"settings-override: 2 sites {lines[-1]}"])


def no_codeowners(project: Project) -> str:
    return (
        f"note: {project.folder} has no CODEOWNERS file, so no file has an owner: write"
        " .github/CODEOWNERS, or name one as `owners` in the configuration\n"
    )


def test_sites_by_owner_say_that_there_is_no_codeowners_file(committed: Project) -> None:
    outcome = committed.run("sites", "settings-override", "--by=owner")
    assert outcome.out.splitlines()[0] == "(none): 2"
    assert outcome.err == no_codeowners(committed)
    assert committed.run("sites", "settings-override", "--by=file").err == ""
    committed.write("CODEOWNERS", "# nobody yet\n")
    assert committed.run("sites", "settings-override", "--by=owner").err == ""


@pytest.mark.parametrize(
    "options", [pytest.param(["--batch-by=owner"], id="batches"), pytest.param(["--owner=@ann"], id="owner")]
)
def test_migrate_by_owner_says_that_there_is_no_codeowners_file(
    committed: Project, options: list[str]
) -> None:
    said = no_codeowners(committed).partition("has no")[2]
    assert said in committed.run("migrate", "--all", *options).err
    assert "CODEOWNERS" not in committed.run("migrate", "--all", "--batch-by=directory").err


def test_sites_as_json(project: Project) -> None:
    outcome = project.run("sites", "settings-read", "--by=owner", "--format=json")
    assert json.loads(outcome.out) == {
        **head("sites", "src/shop"),
        "rule": "settings-read",
        "by": "owner",
        "count": 1,
        "groups": [
            {
                "name": "(none)",
                "count": 1,
                "sites": [
                    {
                        "path": "cart.py",
                        "line": 10,
                        "column": 16,
                        "end_line": 10,
                        "end_column": 38,
                        "scope": "Cart.patient",
                        "code": "get_settings().timeout",
                        "operation": "read",
                        "origin": "global",
                        "form": "accessor",
                        "field": "timeout",
                        "namespace": "net",
                    }
                ],
            }
        ],
        "problems": [],
    }


def test_explain_a_rule(adopted: Project) -> None:
    assert adopted.run("explain", "settings-override") == Outcome(
        0,
        """\
settings-override: the writer of settings
  access rule, mode ratchet; 2 now, 2 in the baseline
  to change it, edit rules/shop/settings-override.toml

why:
  A record that everyone writes has no owner.

instead:
  Call publish(field=value).

does not count:
  settings.py: it makes the values

bad (example.py):
  def slow_down(settings):
      settings.override("test", timeout=9)

good (example.py):
  def slow_down(publish):
      publish(timeout=9)
""",
        "",
    )


def test_explain_a_line(adopted: Project) -> None:
    assert adopted.run("explain", "src/shop/cart.py:10") == Outcome(
        0,
        """\
src/shop/cart.py:10:16: read global accessor net.timeout: get_settings().timeout
  counted by: settings-read
  not by settings-override: its filters do not match: operations = call, fields = override
site of settings-read: get_settings().timeout
  in the baseline, 1 of it in this scope
""",
        "",
    )


@pytest.mark.parametrize(
    ("files", "where", "line"),
    [
        pytest.param(
            {"src/shop/new.py": "def f(settings):\n    settings.override('x', a=1)\n"},
            "src/shop/new.py:2",
            "  no row in the baseline: new",
            id="new",
        ),
        pytest.param(
            {"src/shop/settings.py": "def f(settings):\n    settings.override('x', a=1)\n"},
            "src/shop/settings.py:2",
            "  not by settings-override: exempt: it makes the values",
            id="exempt",
        ),
        pytest.param(
            {}, "src/shop/cart.py:1", "src/shop/cart.py:1: no access, and no site of any rule", id="nothing"
        ),
        pytest.param({}, "cart.py:10", "  counted by: settings-read", id="from-the-root"),
        pytest.param(
            {"src/shop/new.py": "import os\nos.system('x')\n"},
            "src/shop/new.py:2",
            "site of shell: os.system('x')",
            id="no-access-rule",
        ),
        pytest.param(
            {
                "rules/shop/settings-read.toml": FILES["rules/shop/settings-read.toml"].replace(
                    "\n[match]", 'paths = ["context.py"]\n\n[match]'
                )
            },
            "src/shop/cart.py:10",
            "  not by settings-read: it looks at other paths only: context.py",
            id="other-paths",
        ),
        pytest.param(
            {
                "rules/shop/settings-read.toml": FILES["rules/shop/settings-read.toml"].replace(
                    "\n[match]", 'engines = ">=2"\n\n[match]'
                )
            },
            "src/shop/cart.py:10",
            "  not by settings-read: it is for engine versions >=2",
            id="other-engines",
        ),
    ],
)
def test_why_a_line_is_counted_or_not(adopted: Project, files: dict[str, str], where: str, line: str) -> None:
    for path, text in files.items():
        adopted.write(path, text)
    assert line in adopted.run("explain", where).out.splitlines()


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        pytest.param("shel", "no rule is called shel; did you mean `shell`?", id="no-rule"),
        pytest.param("nowhere.py:3", "there is no such file or folder", id="no-file"),
        pytest.param("ratchet.toml:3", "is no Python file of the tree", id="no-python"),
    ],
)
def test_what_cannot_be_explained(adopted: Project, what: str, sentence: str) -> None:
    outcome = adopted.run("explain", what)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err


PROVED = """\
settings-override: fails as it must (exit code 1, 1 planted site of 1 named)
  src/shop/planted_by_ratchet.py:2:5: settings.override(timeout)
settings-read: warns as it must (exit code 0, 1 planted site of 1 named)
  src/shop/planted_by_ratchet.py:4:12: get_settings().timeout
shell: fails as it must (exit code 1, 1 planted site of 1 named)
  src/shop/planted_by_ratchet.py:3:1: os.system('make')
prove: 3 gates work
"""


def test_prove(adopted: Project) -> None:
    before = sorted(adopted.folder.rglob("*"))
    assert adopted.run("prove") == Outcome(0, PROVED, "")
    assert sorted(adopted.folder.rglob("*")) == before


def test_prove_finds_a_gate_that_does_not_work(adopted: Project) -> None:
    rule = FILES["rules/shop/shell.toml"].replace("os.system(...)", "os.popen(...)")
    adopted.write("rules/shop/shell.toml", rule)
    assert adopted.run("prove", "shell") == Outcome(
        1,
        "shell: DOES NOT FAIL AS IT MUST (exit code 0, 0 planted sites of 1 named)\n"
        "prove: 1 gate does not work of 1\n",
        "",
    )


def test_prove_says_what_kept_the_check_from_judging(adopted: Project) -> None:
    adopted.write("baselines/gone.tsv", adopted.read("baselines/settings-override.tsv"))
    fault = (
        f"{adopted.folder}/baselines/gone.tsv belongs to no rule: delete it, bring the rule back, or name it"
        " in `formerly` of another"
    )
    assert adopted.run("prove", "shell") == Outcome(
        1,
        "shell: DOES NOT FAIL AS IT MUST (exit code 3, 1 planted site of 1 named)\n"
        "  src/shop/planted_by_ratchet.py:3:1: os.system('make')\n"
        f"  the check could not judge: {fault}\n"
        "prove: 1 gate does not work of 1\n",
        "",
    )
    (rule,) = json.loads(adopted.run("prove", "shell", "--format", "json").out)["rules"]
    assert rule["faults"] == [fault]


def test_prove_plants_where_the_rule_looks(adopted: Project) -> None:
    narrow = FILES["rules/shop/shell.toml"].replace("\n[match]", 'paths = ["jobs/run.py"]\n\n[match]')
    adopted.write("rules/shop/shell.toml", narrow.replace("bad = ", 'path = "jobs/run.py"\nbad = '))
    assert "  src/shop/jobs/run.py:3:1: os.system('make')" in adopted.run("prove", "shell").out.splitlines()


def test_prove_needs_a_baseline(project: Project) -> None:
    outcome = project.run("prove", "settings-override")
    assert (outcome.code, outcome.out) == (2, "")
    assert "run `ratchet adopt settings-override`" in outcome.err


def test_the_examples_of_rules(project: Project) -> None:
    assert project.run("test-rules") == Outcome(0, "test-rules: 3 rules hold, 3 examples\n", "")


def test_an_example_that_does_not_hold(project: Project) -> None:
    project.write(
        "rules/shop/shell.toml", FILES["rules/shop/shell.toml"].replace("os.system(...)", "os.popen()")
    )
    outcome = project.run("test-rules", "shell")
    assert (outcome.code, outcome.out.splitlines()) == (
        1,
        [
            "rules/shop/shell.toml: the bad code of example 1 should hold 1 site, and none is found",
            "test-rules: 1 rule fails of 1, 1 example",
        ],
    )


def test_a_pack_with_a_wrong_key(project: Project) -> None:
    project.write("rules/shop/shell.toml", FILES["rules/shop/shell.toml"].replace("why =", "whi ="))
    outcome = project.run("pack", "lint")
    assert (outcome.code, outcome.out) == (3, "")
    assert "rules/shop/shell.toml:4: unknown key `whi`; did you mean `why`?" in outcome.err


# diff


def test_diff(committed: Project) -> None:
    committed.edit("src/shop/cart.py", "timeout=1", "retries=1")
    committed.write("src/shop/ping.py", "import os\n\n\ndef ping():\n    os.system('ping')\n")
    assert committed.run("diff", "HEAD") == Outcome(
        0,
        """\
settings-override  2 → 2  +1  -1
  + src/shop/cart.py:13:9: self.settings.override(retries) in Cart.hasty
  - src/shop/cart.py: self.settings.override(timeout) in Cart.hasty
settings-read  1 → 1
shell  0 → 1  +1
  + src/shop/ping.py:5:5: os.system('ping') in ping
""",
        "",
    )


def test_diff_as_json(committed: Project) -> None:
    (committed.folder / "src/shop/cart.py").rename(committed.folder / "src/shop/basket.py")
    report = json.loads(committed.run("diff", "HEAD", "--format=json").out)
    assert report["commit"] == committed.git("rev-parse", "HEAD").strip()
    assert [(rule["id"], rule["old"], rule["new"], len(rule["moved"])) for rule in report["rules"]] == [
        ("settings-override", 2, 2, 2),
        ("settings-read", 1, 1, 1),
        ("shell", 0, 0, 0),
    ]


def test_diff_with_what_is_no_commit(committed: Project) -> None:
    outcome = committed.run("diff", "v9")
    assert (outcome.code, outcome.out) == (3, "")
    assert "there is no commit `v9`" in outcome.err
