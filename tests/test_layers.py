"""Layers import only those below; counting imports nothing slow; the engine names nothing of the pack."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shipped import PACK

PACKAGE = Path(__file__).parents[1] / "ratchet"
EXAMPLE = PACKAGE.parent / "examples" / "engine"

# From top to bottom. A unit is a module or a package of `ratchet`; those of one layer keep to themselves.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("api", "cli"),
    ("page",),
    ("history",),
    ("checking",),
    ("session", "upgrade"),
    ("codemod", "examples", "owners", "report", "stubs", "tally", "typecheck", "workspace"),
    ("flow", "roles"),
    ("config", "reach", "scan", "tree", "verdict"),
    ("comparison", "pool", "surface"),
    ("judge", "pack"),
    ("index", "matching", "schema", "syntax"),
    ("analysis", "baseline", "cache"),
    ("source",),
    ("atomic", "model", "progress"),
    ("errors", "escape", "frozen", "wording"),
)
TOP = "ratchet"  # the package's own __init__, which anyone may read the version from
UNITS = {unit: depth for depth, layer in enumerate(LAYERS) for unit in layer}


def modules() -> list[Path]:
    """Every module of the package, without the vendored library."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "vendor" not in path.relative_to(PACKAGE).parts]


def unit_of(dotted: str) -> str:
    """The unit that a dotted name in the package belongs to."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else TOP


def unit_of_file(path: Path) -> str:
    """The unit that a file of the package belongs to."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return TOP if first == "__init__" else first


def imported_units(path: Path) -> Iterator[tuple[str, int]]:
    """The units that a module imports, anywhere in it, with the line."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == TOP:
                    yield unit_of(alias.name), node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import hides which layer it names"
            if node.module == TOP:
                for alias in node.names:
                    yield (alias.name if alias.name in UNITS else TOP), node.lineno
            elif node.module and node.module.startswith(f"{TOP}."):
                yield unit_of(node.module), node.lineno


def upward_imports(path: Path) -> list[str]:
    """The imports of a module that do not go down."""
    own = unit_of_file(path)
    return [
        f"{path.relative_to(PACKAGE.parent)}:{line}: {own} imports {unit}"
        for unit, line in imported_units(path)
        if unit not in (own, TOP) and UNITS.get(unit, -1) <= UNITS.get(own, -1)
    ]


def test_every_unit_has_its_layer() -> None:
    assert {unit_of_file(path) for path in modules()} - {TOP} == set(UNITS)


def test_the_documentation_lists_the_layers_in_their_order() -> None:
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[a-z_`, ]+) \|", text.partition("## Layers")[2].partition("\n## ")[0], re.M)
    listed = [unit for row in rows for unit in re.findall(r"\w+", row)]
    assert listed == [unit for layer in LAYERS for unit in layer]


def named_modules(text: str) -> Iterator[str]:
    """The modules that a page names, each from the top: a bare name is in the package last named in bold."""
    package = ""
    for line in text.splitlines():
        bold = re.match(r"- \*\*`(ratchet/\w+/)`\*\*", line)
        if bold or line.startswith("#"):
            package = bold[1] if bold else ""
        row = re.match(r"\| `(\w+)` \|", line)
        for cell in line.split("|"):
            folder = f"ratchet/{row[1]}/" if row else package
            for name in re.findall(r"`([\w/]+/|[\w/]+\.py)`", cell):
                if name.endswith("/"):
                    folder = name if name.startswith("ratchet/") else folder
                else:
                    yield name if "/" in name else f"{folder}{name}"


def test_the_documentation_names_modules_that_there_are() -> None:
    text = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = list(named_modules(text))
    assert len(named) > 100
    assert [name for name in named if not (PACKAGE.parent / name).is_file()] == []


def test_imports_go_down() -> None:
    assert [fault for path in modules() for fault in upward_imports(path)] == []


def test_an_import_that_goes_up_is_found(tmp_path: Path) -> None:
    below = tmp_path / "model.py"
    below.write_text(
        "import ratchet.scan\nfrom ratchet import cli\ndef f():\n    from ratchet.report import text\n"
    )
    assert [unit for unit, _ in imported_units(below)] == ["scan", "cli", "report"]


# What counting costs

SLOW = ("libcst", "rich", "packaging", "jsonschema", "subprocess", "concurrent.futures", "multiprocessing")
PROBE = """
import sys
import click
names = [name for name in sys.argv[0].split(",") if name not in sys.modules]
from ratchet.__main__ import main
try:
    main()
except SystemExit as ended:
    sys.stderr.write(f"exit {ended.code or 0}\\n")
sys.stderr.write("imported " + ",".join(name for name in names if name in sys.modules) + "\\n")
"""


def run_probe(names: tuple[str, ...], *arguments: str) -> list[str]:
    """The exit code of a command line in a process of its own, and which names it imports beyond click's."""
    code = f"import sys; sys.argv = [{','.join(names)!r}, *sys.argv[1:]]\n{PROBE}"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.splitlines()[-2:]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["check", "sglang/srt/models/dense.py"], id="one-file"),
        pytest.param(["count", "--format", "json"], id="count-json"),
        pytest.param(["check", "--format", "json"], id="check-json"),
    ],
)
def test_plain_output_imports_nothing_slow(arguments: list[str], tmp_path: Path) -> None:
    cache = f"--cache-dir={tmp_path}"
    run_probe((), *arguments, cache, "--jobs=1")
    assert run_probe(SLOW, *arguments, cache, "--jobs=1") == ["exit 0", "imported "]


def test_a_run_without_rules_about_the_whole_tree_loads_nothing_for_them(tmp_path: Path) -> None:
    whole = ("ratchet.flow", "ratchet.roles", "ratchet.reach", "ratchet.syntax")
    check = ["check", "sglang/srt/models/dense.py", f"--cache-dir={tmp_path}", "--jobs=1"]
    run_probe((), *check)
    assert run_probe(whole, *check) == ["exit 0", "imported "]


def test_what_is_remembered_of_roles_loads_nothing_that_follows_calls() -> None:
    code = "import sys, ratchet.tally, ratchet.roles.restricted; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "ratchet.roles.restricted" in loaded
    assert [name for name in loaded if name.startswith(("ratchet.reach", "ratchet.syntax"))] == []


def test_the_version_imports_no_engine() -> None:
    engine = ("ratchet.session", "ratchet.analysis", "ratchet.pack", "ratchet.cache", "sqlite3")
    assert run_probe((*SLOW, *engine), "--version") == ["exit 0", "imported "]


# The engine and the pack


def pack_words() -> set[str]:
    """The names that are data of the shipped pack: no code of the engine may hold one."""
    known = {PACK.name, PACK.package}
    for item in PACK.objects:
        functions = [name for name in item.constructors if not name.startswith(".")]
        known |= {name.rpartition(".")[2] for name in (item.class_name, *item.accessors, *functions)}
        known |= {name.strip("*_") for name in (*item.names, *item.attributes)}
    accessors = [context.accessor for context in PACK.contexts] + [
        space.accessor for space in PACK.namespaces
    ]
    return known | {accessor.rpartition(".")[2] for accessor in accessors}


def words(text: str) -> set[str]:
    """The words of a text."""
    return set(re.findall(r"\w+", text))


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Names and strings of a module, docstrings left out: a help text may show an example."""
    tree = ast.parse(path.read_bytes())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield line, node.value
        for name in ("id", "attr", "arg", "name"):
            value = getattr(node, name, None)
            if isinstance(value, str):
                yield line, value


def test_the_pack_has_words() -> None:
    assert {"sglang", "ServerArgs", "server_args", "get_server_args", "get_parallel"} <= pack_words()
    assert all(word.isidentifier() for word in pack_words())


def test_the_engine_names_nothing_of_the_pack() -> None:
    known = pack_words()
    named = [
        f"{path.relative_to(PACKAGE)}:{line}: {text!r}"
        for path in modules()
        if known & words(path.read_text(encoding="utf-8"))
        for line, text in texts(path)
        if known & words(text)
    ]
    assert named == []
