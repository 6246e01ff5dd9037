"""House rules that a reader can count on: short modules and functions, docstrings, data never executed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60

FORBIDDEN_IMPORTS = {"pickle", "marshal", "shelve", "dill", "imp"}
FORBIDDEN_CALLS = {"eval", "exec", "__import__"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(*folders: str) -> list[Path]:
    """The project's own modules below some folders, the vendored library included."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def functions(tree: ast.Module) -> Iterator[Function]:
    """Every function of a module, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def long(tree: ast.Module) -> Iterator[str]:
    """Functions that fill more than a screen."""
    for node in functions(tree):
        if node.end_lineno and node.end_lineno - node.lineno >= LONGEST_FUNCTION:
            yield f"{node.name}: {node.end_lineno - node.lineno + 1} lines"


def undocumented(tree: ast.Module) -> Iterator[str]:
    """Public functions, and public methods of public classes, that say nothing of themselves."""
    if tree.body and not ast.get_docstring(tree):
        yield "the module"
    yield from _undocumented(tree.body, "")


def _undocumented(body: list[ast.stmt], inside: str) -> Iterator[str]:
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name.startswith("_") or ast.unparse(node.body[-1]) == "...":
            continue  # what has no body of its own is described by its class, or by the function it overloads
        if isinstance(node, ast.ClassDef):
            yield from _undocumented(node.body, f"{inside}{node.name}.")
        elif not ast.get_docstring(node):
            yield f"{inside}{node.name}"


def executing(tree: ast.Module) -> Iterator[str]:
    """What could execute data: unsafe formats, and built-ins that run text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {(node.module or "").split(".")[0]}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names = {node.func.id} & FORBIDDEN_CALLS
        else:
            continue
        for name in sorted(names & (FORBIDDEN_IMPORTS | FORBIDDEN_CALLS)):
            yield f"line {node.lineno}: {name}"


COUNTED = re.compile(
    r" (?!of )([a-z]+ )?(accesses|arguments|columns|edits|examples|faults|fields|files|gates|groups|modules"
    r"|problems|processes|rows|rules|sites|skips|slices|steps)\b"
)


def plurals_by_hand(tree: ast.Module) -> Iterator[str]:
    """Numbers that stand before a word in the plural, so that a one would read wrong; a rate never is one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for number, text in zip(node.values, node.values[1:], strict=False):
                word = isinstance(text, ast.Constant) and COUNTED.match(str(text.value))
                if word and isinstance(number, ast.FormattedValue) and not _is_rate(number):
                    yield f"{{{ast.unparse(number.value)}}}{word.group()}"
        elif isinstance(node, ast.BinOp) and ast.unparse(node).startswith("'s' * "):
            yield ast.unparse(node)


def _is_rate(number: ast.FormattedValue) -> bool:
    return number.format_spec is not None and "'g'" in ast.unparse(number.format_spec)


PACKAGE = set(modules("ratchet"))
FOLDERS = ("ratchet", "scripts", "benchmarks", "docs")
EVERYTHING = modules(*FOLDERS)
RULES = (long,)
RULES_OF_THE_PACKAGE = (undocumented, executing, plurals_by_hand)


def test_modules_are_short() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in EVERYTHING}
    generated = {path for path in EVERYTHING if "vendor" in path.parts and "server_args" in path.name}
    assert [path for path in lines if lines[path] > LONGEST_MODULE and path not in generated] == []


def test_every_module_keeps_the_rules() -> None:
    """All in one test: parsing every module takes longer than the rules do."""
    faults = [
        f"{path.relative_to(ROOT).as_posix()}: {rule.__name__}: {fault}"
        for path, tree in ((path, ast.parse(path.read_bytes())) for path in EVERYTHING)
        for rule in (*RULES, *(RULES_OF_THE_PACKAGE if path in PACKAGE else ()))
        for fault in rule(tree)
    ]
    assert faults == []
    assert len(PACKAGE) >= 200
    assert {path.relative_to(ROOT).parts[0] for path in EVERYTHING} == set(FOLDERS)


@pytest.mark.parametrize(("lines", "found"), [(60, []), (61, ["f: 61 lines"])])
def test_a_long_function_is_found(lines: int, found: list[str]) -> None:
    assert list(long(ast.parse("def f():\n" + "    x\n" * (lines - 1)))) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        pytest.param("import pickle", ["line 1: pickle"], id="import"),
        pytest.param("import os\nfrom marshal import loads", ["line 2: marshal"], id="import-from"),
        pytest.param("x = eval(text)", ["line 1: eval"], id="eval"),
        pytest.param("exec(text)", ["line 1: exec"], id="exec"),
        pytest.param("import re\nre.compile(text)", [], id="regular-expression"),
        pytest.param("from ast import literal_eval\nliteral_eval(text)", [], id="literal"),
        pytest.param("model.eval()", [], id="a-method-of-that-name"),
    ],
)
def test_what_would_execute_data_is_found(code: str, found: list[str]) -> None:
    assert list(executing(ast.parse(code))) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        pytest.param('"""M."""\ndef f(): pass', ["f"], id="function"),
        pytest.param('"""M."""\nclass C:\n    """C."""\n    def m(self): pass', ["C.m"], id="method"),
        pytest.param("x = 1", ["the module"], id="module"),
        pytest.param("# a package\n", [], id="empty"),
        pytest.param('"""M."""\ndef _f(): pass', [], id="private"),
        pytest.param('"""M."""\nclass C:\n    x: int', [], id="fields"),
        pytest.param('"""M."""\nclass P(Protocol):\n    def m(self): ...', [], id="protocol"),
        pytest.param('"""M."""\nclass _C:\n    def m(self): pass', [], id="private-class"),
    ],
)
def test_what_is_undocumented_is_found(code: str, found: list[str]) -> None:
    assert list(undocumented(ast.parse(code))) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('f"{n} sites"', ["{n} sites"]),
        ('f"{len(a):,} new files of it"', ["{len(a)} new files"]),
        ("f\"{n} site{'s' * (n != 1)}\"", ["'s' * (n != 1)"]),
        ("f\"{plural(n, 'site')}, {rate:g} sites a week, the {name} of sites\"", []),
    ],
)
def test_a_plural_by_hand_is_found(code: str, found: list[str]) -> None:
    assert list(plurals_by_hand(ast.parse(code))) == found
