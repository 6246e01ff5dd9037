"""The configuration: what is accepted, found and inherited; what is refused, with its line and the reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ratchet.config import Config, Disable, Exclude, TreeConfig, baselines_of, find_config, load_config
from ratchet.errors import UsageError
from tests.source.scratch import make_repository, plant

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = json.loads(Path("ratchet/schemas/config.schema.json").read_text(encoding="utf-8"))

EVERYTHING = """
required-version = ">=0.1,<100"
packs = ["sglang", "./rules/mine"]
engine = "0.5.17"
rules = ["server-args-write", "config-escape"]
root = "python/sglang"
baselines = "ratchets"
stale = "warn"
cache-dir = ".cache/ratchet"
owners = "CODEOWNERS"

[migrate]
format = ["ruff", "format"]

[[disable]]
rule = "module-state"
reason = "not yet"

[[exclude]]
path = "templates/*.py"
reason = "never parse"
"""

TREES = """
packs = ["sglang"]
rules = ["a"]
disable = [{ rule = "b", reason = "later" }]
engine = "0.5.17"

[trees.engine]
root = "python/sglang"
exclude = [{ path = "gen", reason = "generated" }]

[trees."tests-0.5"]
root = "test"
baselines = "test/baselines"
packs = ["./rules/tests"]
rules = ["c", "d"]
engine = "0.5.18"
disable = [{ rule = "e", reason = "never" }]
"""

ACCEPTED = [
    pytest.param("", (TreeConfig(),), {}, id="empty"),
    pytest.param(
        EVERYTHING,
        (
            TreeConfig(
                root="python/sglang",
                baselines="ratchets",
                exclude=(Exclude("templates/*.py", "never parse"),),
                packs=("sglang", "./rules/mine"),
                engine="0.5.17",
                rules=("server-args-write", "config-escape"),
                disable=(Disable("module-state", "not yet"),),
            ),
        ),
        {
            "required_version": ">=0.1,<100",
            "stale": "warn",
            "cache_dir": ".cache/ratchet",
            "owners": "CODEOWNERS",
            "migrate_format": ("ruff", "format"),
        },
        id="everything",
    ),
    pytest.param(
        TREES,
        (
            TreeConfig(
                name="engine",
                root="python/sglang",
                exclude=(Exclude("gen", "generated"),),
                packs=("sglang",),
                engine="0.5.17",
                rules=("a",),
                disable=(Disable("b", "later"),),
            ),
            TreeConfig(
                name="tests-0.5",
                root="test",
                baselines="test/baselines",
                packs=("./rules/tests",),
                engine="0.5.18",
                rules=("c", "d"),
                disable=(Disable("e", "never"),),
            ),
        ),
        {},
        id="trees",
    ),
    pytest.param("exclude = []\nrules = []\n[migrate]\n", (TreeConfig(),), {}, id="empty-lists"),
    pytest.param("root = ' . '", (TreeConfig(root="."),), {}, id="spaces-around"),
    pytest.param(
        "exclude = [{ path = 'a..b/..c', reason = 'r' }]",
        (TreeConfig(exclude=(Exclude("a..b/..c", "r"),)),),
        {},
        id="dots-in-names",
    ),
    pytest.param(
        'required-version = "== 0.*"', (TreeConfig(),), {"required_version": "== 0.*"}, id="version-wildcard"
    ),
]

REFUSED = [
    pytest.param(
        "\nbaseline = 'x'",
        "ratchet.toml:2: unknown key `baseline`; did you mean `baselines`?",
        id="unknown-key-with-a-near-one",
    ),
    pytest.param("zzz = 1", "ratchet.toml:1: unknown key `zzz`", id="unknown-key"),
    pytest.param(
        "required_version = '>=0.1'",
        "ratchet.toml:1: unknown key `required_version`; did you mean `required-version`?",
        id="underscore",
    ),
    pytest.param(
        "root = 7", "ratchet.toml:1: `root` must be a string that is not empty, and is 7", id="number"
    ),
    pytest.param(
        "root = ''",
        'ratchet.toml:1: `root` must be a string that is not empty, and is the string ""',
        id="empty-string",
    ),
    pytest.param(
        "packs = 'sglang'",
        'ratchet.toml:1: `packs` must be a list of strings, and is the string "sglang"',
        id="no-list",
    ),
    pytest.param(
        "rules = [1]",
        "ratchet.toml:1: `rules` must be a list of strings, and is a list",
        id="list-of-numbers",
    ),
    pytest.param(
        "rules = ['']", "ratchet.toml:1: `rules` must be a list of strings, and is a list", id="empty-item"
    ),
    pytest.param(
        "engine = 0.5",
        "ratchet.toml:1: `engine` must be a string that is not empty, and is 0.5",
        id="version-as-a-number",
    ),
    pytest.param(
        "# a\nstale = 'fial'",
        "ratchet.toml:2: `stale` cannot be `fial`: it is one of fail, warn; did you mean `fail`?",
        id="word",
    ),
    pytest.param(
        "stale = false",
        "ratchet.toml:1: `stale` must be a string that is not empty, and is false",
        id="word-as-a-flag",
    ),
    pytest.param(
        "migrate = 'ruff'",
        'ratchet.toml:1: `migrate` must be a table, and is the string "ruff"',
        id="no-table",
    ),
    pytest.param(
        "[migrate]\nformatter = ['x']",
        "ratchet.toml:2: unknown key `formatter` in [migrate]; did you mean `format`?",
        id="unknown-key-in-a-table",
    ),
    pytest.param(
        "exclude = ['gen']",
        "ratchet.toml:1: `exclude` must be an array of tables, each under [[exclude]], and is a list",
        id="exclude-without-reason",
    ),
    pytest.param(
        "[[exclude]]\npath = 'gen'",
        "ratchet.toml:1: `reason` is missing in [[exclude]]: why it is left out, for those who come after",
        id="missing-reason",
    ),
    pytest.param(
        "[[exclude]]\nreason = 'x'",
        "ratchet.toml:1: `path` is missing in [[exclude]]: the path that it is about",
        id="missing-path",
    ),
    pytest.param(
        "[[exclude]]\npath = '../x'\nreason = 'x'",
        "ratchet.toml:2: `../x` leads out of the source root; write the path below it",
        id="path-above-the-root",
    ),
    pytest.param(
        "[[exclude]]\npath = '/x'\nreason = 'x'",
        "ratchet.toml:2: `/x` leads out of the source root; write the path below it",
        id="absolute-path",
    ),
    pytest.param(
        "[[exclude]]\npath = 'a/..'\nreason = 'x'",
        "ratchet.toml:2: `a/..` leads out of the source root; write the path below it",
        id="path-that-climbs",
    ),
    pytest.param(
        "[[disable]]\nrule = 'x'\nreason = 'x'\nuntil = 'y'",
        "ratchet.toml:4: unknown key `until` in [[disable]]",
        id="unknown-key-of-an-entry",
    ),
    pytest.param(
        "required-version = 'latest'",
        "ratchet.toml:1: `required-version` must be a version specifier such as `>=0.1,<1`, and is `latest`",
        id="no-specifier",
    ),
    pytest.param(
        "root = 'a'\n[trees.x]\nroot = 'b'",
        "ratchet.toml:1: `root` is for a tree, and there are `trees`; move it to the one that is meant",
        id="root-beside-trees",
    ),
    pytest.param(
        "[[exclude]]\npath = 'a'\nreason = 'r'\n[trees.x]\nroot = 'b'",
        "ratchet.toml:1: `exclude` is for a tree, and there are `trees`; move it to the one that is meant",
        id="exclude-beside-trees",
    ),
    pytest.param(
        "trees = {}",
        "ratchet.toml:1: `trees` holds no tree; add one as [trees.NAME], or drop it",
        id="no-trees",
    ),
    pytest.param(
        "[trees.x]",
        "ratchet.toml:1: `root` is missing in [trees.x]: a tree of several says where it lies",
        id="tree-without-root",
    ),
    pytest.param(
        "[trees.x]\nroot = 'a'\nstale = 'warn'",
        "ratchet.toml:3: unknown key `stale` in [trees.x]; did you mean `disable`?",
        id="key-that-is-for-all-trees",
    ),
    pytest.param(
        "[trees]\nx = 1",
        "ratchet.toml:2: `x` must be a table, and is 1\n"
        "ratchet.toml:2: `root` is missing in [trees.x]: a tree of several says where it lies",
        id="tree-that-is-no-table",
    ),
    pytest.param(
        "[trees.'a/b']\nroot = 'x'",
        "ratchet.toml:1: a tree cannot be called `a/b`: use letters, digits, `.`, `_` and `-`",
        id="name-of-a-tree",
    ),
    pytest.param(
        "root = 1\nroots = 2",
        "ratchet.toml:1: `root` must be a string that is not empty, and is 1\n"
        "ratchet.toml:2: unknown key `roots`; did you mean `root`?",
        id="all-at-once",
    ),
]


def valid(text: str) -> bool:
    document: dict[str, Any] = tomllib.loads(text)
    return bool(Draft202012Validator(SCHEMA).is_valid(document))


@pytest.mark.parametrize(("text", "trees", "others"), ACCEPTED)
def test_accepts(tmp_path: Path, text: str, trees: tuple[TreeConfig, ...], others: dict[str, Any]) -> None:
    file = plant(tmp_path, {"ratchet.toml": text}) / "ratchet.toml"
    assert load_config(tmp_path) == Config(tmp_path, file, trees, **others)
    assert valid(text)


@pytest.mark.parametrize(("text", "told"), REFUSED)
def test_refuses(tmp_path: Path, text: str, told: str) -> None:
    plant(tmp_path, {"ratchet.toml": text})
    with pytest.raises(UsageError) as refusal:
        load_config(tmp_path)
    assert str(refusal.value) == told
    assert not valid(text)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        pytest.param(
            b"root = 'x'\npacks = [\n", "ratchet.toml:2: is not TOML: invalid value", id="unfinished"
        ),
        pytest.param(b"a = 1\na = 2\n", "ratchet.toml:2: is not TOML: cannot overwrite a value", id="twice"),
        pytest.param(
            b"root = '\xff'", "ratchet.toml:1: is not UTF-8; save it in that encoding", id="no-utf-8"
        ),
    ],
)
def test_refuses_what_is_no_toml(tmp_path: Path, data: bytes, told: str) -> None:
    plant(tmp_path, {"ratchet.toml": data})
    with pytest.raises(UsageError) as refusal:
        load_config(tmp_path)
    line, _, reason = told.partition(": ")
    assert str(refusal.value).startswith(f"{line}: {reason.partition(':')[0]}")


def test_another_version_is_required(tmp_path: Path) -> None:
    plant(tmp_path, {"ratchet.toml": "required-version = '>=99'\nkey-of-tomorrow = 1"})
    with pytest.raises(UsageError) as refusal:
        load_config(tmp_path)
    told = 'ratchet.toml: requires ratchet >=99, and this is 0.1.0; run `pip install "ratchet-lint>=99"`'
    assert str(refusal.value) == told


def test_trees_that_share_their_baselines(tmp_path: Path) -> None:
    text = "[trees.x]\nroot = 'a'\n[trees.y]\nroot = 'b'\nbaselines = './baselines/x/'"
    plant(tmp_path, {"ratchet.toml": text})
    with pytest.raises(UsageError) as refusal:
        load_config(tmp_path)
    assert str(refusal.value) == "ratchet.toml:1: the trees `x` and `y` share the baselines baselines/x"


@pytest.mark.parametrize(
    ("tree", "place"),
    [
        (TreeConfig(), "baselines"),
        (TreeConfig(name="tests"), "baselines/tests"),
        (TreeConfig(name="tests", baselines="pins"), "pins"),
    ],
)
def test_baselines_of(tree: TreeConfig, place: str) -> None:
    assert baselines_of(tree) == place


OURS = "[tool.ratchet]\nroot = 'a'\n"
OTHERS = "[tool.other]\nname = 'ratchet'\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"ratchet.toml": ""}, "ratchet.toml", id="at-the-top"),
        pytest.param({"a/b/ratchet.toml": "", "ratchet.toml": ""}, "a/b/ratchet.toml", id="nearest"),
        pytest.param({"a/ratchet.toml": ""}, "a/ratchet.toml", id="above"),
        pytest.param({"pyproject.toml": OURS}, "pyproject.toml", id="shared-file"),
        pytest.param({"pyproject.toml": "[tool]\nratchet = {}"}, "pyproject.toml", id="inline-table"),
        pytest.param({"pyproject.toml": OTHERS}, None, id="shared-file-of-others"),
        pytest.param({"a/pyproject.toml": OTHERS, "ratchet.toml": ""}, "ratchet.toml", id="passes-by-others"),
        pytest.param({"pyproject.toml": "[tool.x]"}, None, id="shared-file-without-us"),
        pytest.param({"ratchet.toml": "", "pyproject.toml": OTHERS}, "ratchet.toml", id="own-beside-others"),
        pytest.param({"ratchet.toml": "", "a/pyproject.toml": OURS}, "a/pyproject.toml", id="nearest-shared"),
        pytest.param({"../ratchet.toml": ""}, None, id="not-above-the-repository"),
        pytest.param({"a/b/c/ratchet.toml": ""}, None, id="not-below"),
        pytest.param({"a/ratchet.toml/x": "", "ratchet.toml": ""}, "ratchet.toml", id="a-folder-is-no-file"),
    ],
)
def test_find_config(tmp_path: Path, files: dict[str, str], found: str | None) -> None:
    repo = make_repository(tmp_path / "repo")
    plant(repo, {"a/b/.keep": "", **files})
    assert find_config(repo / "a/b") == (repo / found if found else None)


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    make_repository(plant(tmp_path, {"ratchet.toml": ""}) / "sub")
    assert find_config(tmp_path / "sub") is None


def test_without_a_file_the_default_serves(tmp_path: Path) -> None:
    assert load_config(make_repository(tmp_path)) == Config(tmp_path)


def test_two_configurations_in_one_folder(tmp_path: Path) -> None:
    plant(tmp_path, {"ratchet.toml": "", "pyproject.toml": OURS, "a/.keep": ""})
    with pytest.raises(UsageError) as refusal:
        load_config(tmp_path)
    told = ".: ratchet.toml and [tool.ratchet] in pyproject.toml both configure it; keep one"
    assert str(refusal.value) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            "[project]\nname = 'x'\n[tool.ratchet]\nrot = 'a'\n",
            "pyproject.toml:4: unknown key `rot` in [tool.ratchet]; did you mean `root`?",
            id="unknown-key",
        ),
        pytest.param(
            "[tool.ratchet.trees.x]\nroot = 1\n",
            "pyproject.toml:2: `root` must be a string that is not empty, and is 1",
            id="tree",
        ),
        pytest.param(
            "[tool]\nratchet = 1",
            "pyproject.toml: has no table [tool.ratchet]; add it, or run `ratchet init`",
            id="value",
        ),
    ],
)
def test_refuses_in_the_shared_file(tmp_path: Path, text: str, told: str) -> None:
    plant(tmp_path, {"pyproject.toml": text})
    with pytest.raises(UsageError) as refusal:
        load_config(tmp_path)
    assert str(refusal.value) == told


def test_a_shared_file_that_is_no_toml(tmp_path: Path) -> None:
    plant(tmp_path, {"pyproject.toml": "[tool.ratchet]\nroot = \n"})
    with pytest.raises(UsageError, match=r"^pyproject\.toml:2: is not TOML: "):
        load_config(tmp_path)


def test_the_file_that_is_named(tmp_path: Path) -> None:
    plant(tmp_path, {"ratchet.toml": "zzz = 1", "ci/other.toml": "root = 'x'", "ci/pyproject.toml": OURS})
    for name in ("ci/other.toml", "ci/pyproject.toml"):
        found = load_config(tmp_path, Path(name))
        assert (found.folder, found.file) == (tmp_path / "ci", tmp_path / name)
    assert load_config(tmp_path / "ci", tmp_path / "ci/other.toml").trees == (TreeConfig(root="x"),)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gone.toml", "gone.toml: there is no such configuration file; pass another with --config"),
        ("ci", "ci: there is no such configuration file; pass another with --config"),
        (
            "ci/pyproject.toml",
            "ci/pyproject.toml: has no table [tool.ratchet]; add it, or run `ratchet init`",
        ),
    ],
)
def test_a_file_that_does_not_serve(tmp_path: Path, name: str, told: str) -> None:
    plant(tmp_path, {"ci/pyproject.toml": OTHERS})
    with pytest.raises(UsageError) as refusal:
        load_config(tmp_path, Path(name))
    assert str(refusal.value) == told
