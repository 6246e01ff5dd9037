"""Where a run works: what is found, what the configuration says, and that options win."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ratchet.config import Config, Exclude, TreeConfig
from ratchet.errors import JudgeError, UsageError
from ratchet.source.overlay import Overlay
from ratchet.source.worktree import WorkTree
from ratchet.workspace import Options, Workspace, choose_trees, engine_of, find_root, resolve
from tests.source.scratch import make_repository, plant

CHECKOUT = ["sglang/setup.py", "sglang/python/sglang/__init__.py", "sglang/python/sglang/srt/__init__.py"]
WHEEL = ["wheel/sglang/__init__.py", "wheel/sglang/srt/a.py", "wheel/sglang-1.dist-info/METADATA"]


@pytest.mark.parametrize(
    ("files", "cwd", "root"),
    [
        pytest.param(CHECKOUT, "sglang", "sglang/python/sglang", id="a-checkout-of-the-same-name"),
        pytest.param(CHECKOUT, "sglang/python", "sglang/python/sglang", id="a-folder-of-it"),
        pytest.param(
            CHECKOUT, "sglang/python/sglang/srt", "sglang/python/sglang", id="inside-of-the-package"
        ),
        pytest.param([*CHECKOUT, "sglang/docs/x"], "sglang/docs", "sglang/python/sglang", id="a-sibling"),
        pytest.param(WHEEL, "wheel", "wheel/sglang", id="a-wheel"),
        pytest.param(WHEEL, "wheel/sglang/srt", "wheel/sglang", id="inside-of-a-wheel"),
        pytest.param(["src/sglang/__init__.py"], "", "src/sglang", id="src"),
        pytest.param(
            ["sglang/__init__.py", "sglang/sglang/__init__.py"],
            "sglang/sglang",
            "sglang",
            id="the-outer-one",
        ),
        pytest.param(
            ["src/sglang/__init__.py", "x/python/sglang/__init__.py"],
            "x",
            "x/python/sglang",
            id="the-nearest",
        ),
        pytest.param(["sglang/a.py"], "", None, id="no-package"),
        pytest.param(["other/__init__.py"], "", None, id="another-name"),
        pytest.param(["deep/down/sglang/__init__.py"], "", None, id="an-unusual-place"),
        pytest.param(
            ["tests/__init__.py", "tests/sglang/__init__.py"], "tests", None, id="inside-of-another-package"
        ),
        pytest.param(["../sglang/__init__.py", "x/y"], "x", None, id="not-above-the-repository"),
        pytest.param(["sglang.py"], "", None, id="a-module"),
    ],
)
def test_find_root(tmp_path: Path, files: list[str], cwd: str, root: str | None) -> None:
    repo = make_repository(tmp_path / "repo")
    plant(repo, dict.fromkeys(files, ""))
    assert find_root("sglang", repo / cwd) == (repo / root if root is not None else None)


@pytest.mark.parametrize(
    ("cwd", "root"),
    [
        pytest.param("a", "a/sglang", id="below-the-working-directory"),
        pytest.param("a/sglang/srt", "a/sglang", id="around-the-working-directory"),
        pytest.param("b", None, id="not-below-a-folder-above"),
    ],
)
def test_find_root_without_a_repository(tmp_path: Path, cwd: str, root: str | None) -> None:
    plant(
        tmp_path, dict.fromkeys(["sglang/__init__.py", "a/sglang/__init__.py", "a/sglang/srt/x", "b/x"], "")
    )
    assert find_root("sglang", tmp_path / cwd) == (tmp_path / root if root else None)


def places(repo: Path, config: Config, options: Options, cwd: Path | None = None) -> Workspace:
    return resolve(config.trees[0], config, options, cwd or repo, "sglang")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = make_repository(tmp_path / "repo")
    files = ["python/sglang/__init__.py", "test/a.py", "test/sglang/b.py", "w/sglang/__init__.py", "conf/x"]
    return plant(repo, dict.fromkeys(files, ""))


def test_defaults(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    found = places(repo, Config(repo / "conf"), Options(jobs=3), repo / "conf")
    assert found == Workspace(
        name="",
        root=repo / "python/sglang",
        repository=repo,
        prefix="python/sglang",
        packs=(),
        pack_base=repo / "conf",
        engine=None,
        rules=(),
        disable=(),
        baselines=repo / "baselines",
        exclude=(),
        cache_dir=Path("/caches/ratchet"),
        jobs=3,
        stale="fail",
        owners=None,
        migrate_format=(),
    )
    assert places(repo, Config(repo), Options()).jobs >= 1


FROM_FILE: dict[str, Any] = {
    "root": "conf/../test",
    "packs": ("./mine",),
    "engine": "0.5.17",
    "baselines": "../pins",
    "rules": ("a",),
    "exclude": (Exclude("gen", "generated"),),
}


def configured(repo: Path, **tree: Any) -> Config:
    return Config(
        folder=repo / "conf",
        file=repo / "conf/ratchet.toml",
        trees=(TreeConfig(**tree),),
        stale="warn",
        cache_dir=".cache",
        owners="CODEOWNERS",
        migrate_format=("fmt",),
    )


def test_configuration(repo: Path) -> None:
    config = configured(repo, **{**FROM_FILE, "root": "../test"})
    found = places(repo, config, Options(jobs=1))
    assert found == Workspace(
        name="",
        root=repo / "test",
        repository=repo,
        prefix="test",
        packs=("./mine",),
        pack_base=repo / "conf",
        engine="0.5.17",
        rules=("a",),
        disable=(),
        baselines=repo / "pins",
        exclude=(Exclude("gen", "generated"),),
        cache_dir=repo / "conf/.cache",
        jobs=1,
        stale="warn",
        owners=repo / "conf/CODEOWNERS",
        migrate_format=("fmt",),
    )
    assert found.excludes == ("gen",)


def test_options_win(repo: Path) -> None:
    config = configured(repo, **FROM_FILE)
    options = Options(
        root=Path("../test"),
        packs=("other", "../x"),
        engine="0.5.18",
        baselines=Path("b"),
        cache_dir=Path("c"),
        jobs=2,
        stale="fail",
    )
    found = places(repo, config, options, repo / "conf")
    expected = replace(
        places(repo, config, Options(jobs=2)),
        root=repo / "test",
        prefix="test",
        packs=("other", "../x"),
        pack_base=repo / "conf",
        engine="0.5.18",
        baselines=repo / "conf/b",
        cache_dir=repo / "conf/c",
        stale="fail",
    )
    assert found == expected
    assert places(repo, config, replace(options, no_cache=True)).cache_dir is None


@pytest.mark.parametrize(
    ("given", "root"),
    [
        pytest.param("python/sglang", "python/sglang", id="the-package"),
        pytest.param("python", "python/sglang", id="the-folder-around-it"),
        pytest.param("w", "w/sglang", id="an-unpacked-wheel"),
        pytest.param(".", "python/sglang", id="a-checkout"),
        pytest.param("test", "test", id="a-folder-with-one-of-that-name-that-is-no-package"),
        pytest.param("conf", "conf", id="a-folder-without-it"),
        pytest.param("gone", "gone", id="missing-is-told-when-it-is-opened"),
    ],
)
def test_root_option(repo: Path, given: str, root: str) -> None:
    assert places(repo, Config(repo), Options(root=Path(given))).root == repo / root
    assert places(repo, Config(repo), Options(root=repo / given), repo / "conf").root == repo / root


def test_a_package_that_holds_one_of_its_name(repo: Path) -> None:
    plant(repo, {"python/sglang/sglang/__init__.py": ""})
    assert places(repo, Config(repo), Options(root=Path("python/sglang"))).root == repo / "python/sglang"


def test_a_configured_root_is_taken_as_it_is(repo: Path) -> None:
    assert places(repo, configured(repo, root="../w"), Options()).root == repo / "w"


def test_a_root_outside_of_the_repository(repo: Path, tmp_path: Path) -> None:
    plant(tmp_path, {"wheel/sglang/__init__.py": ""})
    found = places(repo, Config(repo), Options(root=tmp_path / "wheel"))
    expected = (tmp_path / "wheel/sglang", None, "", repo / "baselines")
    assert (found.root, found.repository, found.prefix, found.baselines) == expected


def test_no_root_to_be_found(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(JudgeError) as refusal:
        resolve(TreeConfig(), Config(tmp_path), Options(), tmp_path, "other")
    told = f"no package `other` was found from {tmp_path} upwards; say where it is with --root"
    told += ", or run `ratchet init` for a configuration of your own"
    assert str(refusal.value) == told


@pytest.mark.parametrize("jobs", [0, -1])
def test_refuses_jobs(repo: Path, jobs: int) -> None:
    with pytest.raises(UsageError, match=f"--jobs must be 1 or more, and is {jobs}"):
        places(repo, Config(repo), Options(jobs=jobs))


TREES = (TreeConfig(name="engine", root="a"), TreeConfig(name="tests", root="b"))


@pytest.mark.parametrize(
    ("options", "names"),
    [
        pytest.param(Options(), ["engine", "tests"], id="all"),
        pytest.param(Options(trees=("tests",)), ["tests"], id="one"),
        pytest.param(Options(trees=("tests", "engine", "tests")), ["engine", "tests"], id="in-order"),
        pytest.param(
            Options(trees=("tests",), root=Path("x"), baselines=Path("y")), ["tests"], id="with-a-root"
        ),
        pytest.param(Options(root=Path("z/../b")), ["tests"], id="by-its-root"),
    ],
)
def test_choose_trees(tmp_path: Path, options: Options, names: list[str]) -> None:
    assert [tree.name for tree in choose_trees(Config(tmp_path, trees=TREES), options, tmp_path)] == names


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param(
            Options(trees=("test",)),
            "there is no tree `test`; did you mean `tests`?; the trees are engine, tests: see [trees] there",
            id="unknown",
        ),
        pytest.param(
            Options(root=Path("x")),
            "--root is for one tree, and there are engine, tests; choose one with --tree",
            id="root-of-several",
        ),
        pytest.param(
            Options(baselines=Path("x")),
            "--baselines is for one tree, and there are engine, tests; choose one with --tree",
            id="baselines-of-several",
        ),
    ],
)
def test_choose_trees_refuses(tmp_path: Path, options: Options, told: str) -> None:
    with pytest.raises(UsageError) as refusal:
        choose_trees(Config(tmp_path, trees=TREES), options, tmp_path)
    assert str(refusal.value) == told


def test_there_are_no_named_trees(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refusal:
        choose_trees(Config(tmp_path), Options(trees=("x",)), tmp_path)
    assert str(refusal.value) == "there is no tree `x`; the configuration names none: see [trees] there"


GENERATED = "version: str\n__version__: str\n__version__ = version = '0.5.17'\n"
FALLBACK = (
    "try:\n    from ._version import __version__\nexcept ImportError:\n    __version__ = '0.0.0.dev0'\n"
)


@pytest.mark.parametrize(
    ("files", "engine"),
    [
        pytest.param({"_version.py": GENERATED, "version.py": FALLBACK}, "0.5.17", id="generated"),
        pytest.param({"version.py": FALLBACK}, None, id="a-fallback-is-no-version"),
        pytest.param({"version.py": "__version__ = '0.4'"}, "0.4", id="the-second-file"),
        pytest.param({"_version.py": "x = 1", "version.py": "version = '0.4'"}, "0.4", id="the-second-name"),
        pytest.param({"_version.py": "version = '1'\n__version__ = '2'"}, "2", id="the-first-name"),
        pytest.param({"_version.py": "version: str = '3'"}, "3", id="annotated"),
        pytest.param({"_version.py": "version = '3'\nversion = '4'"}, "4", id="the-last-value"),
        pytest.param({"_version.py": "version = (0, 5)\n"}, None, id="no-text"),
        pytest.param({"_version.py": "version = '.'.join(parts)\n"}, None, id="computed"),
        pytest.param({"_version.py": "def f():\n    version = '1'\n"}, None, id="inside-of-a-function"),
        pytest.param({"_version.py": "'''\nversion = '1'\n'''\n"}, None, id="inside-of-a-text"),
        pytest.param({"_version.py": "x.version = x['version'] = '1'\n"}, None, id="no-name"),
        pytest.param({"_version.py": "version = \n", "version.py": "version = '1'"}, "1", id="unparsable"),
        pytest.param({"_version.py": "version = '\0'\n"}, None, id="nul"),
        pytest.param({"_version.py": "(" * 3000}, None, id="nested"),
        pytest.param({}, None, id="nothing"),
    ],
)
def test_engine_of(tmp_path: Path, files: dict[str, str], engine: str | None) -> None:
    source = WorkTree.open(plant(tmp_path, files))
    names = ["__version__", "version"]
    assert engine_of(source, ["_version.py", "version.py"], names) == engine
    assert engine_of(WorkTree.open(tmp_path, (), ["x.py"]), ["_version.py", "version.py"], names) == engine


def test_engine_of_an_overlay(tmp_path: Path) -> None:
    source = Overlay(WorkTree.open(tmp_path), {"_version.py": b"version = '9'"})
    assert engine_of(source, ["_version.py"], ["version"]) == "9"
