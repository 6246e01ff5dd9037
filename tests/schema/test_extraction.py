"""Which fields are read from a tree, and what is refused."""

from __future__ import annotations

import sys

import pytest

from ratchet.errors import JudgeError
from ratchet.schema import source_files
from tests.schema.trees import SHAPES, classes, extract_from, marked, readers, rows

FINDS = {
    "marker": (
        marked('size: A[int, "How many.", NS("parallel")] = 1'),
        [("size", "int", "1", "parallel", "How many.")],
    ),
    "no default": (marked('path: A[str, NS("model")]'), [("path", "str", None, "model", "")]),
    "help in a call": (
        marked('path: A[str, Arg(aliases=["-p"], help="Where."), NS("model")] = ""'),
        [("path", "str", "''", "model", "Where.")],
    ),
    "help of parts": (
        marked('path: A[str, Arg(help="a" + NAME), NS("model")]'),
        [("path", "str", None, "model", "'a' + NAME")],
    ),
    "marker first": (
        marked('size: A[int, NS("exec.moe"), "Help."] = 1'),
        [("size", "int", "1", "exec.moe", "Help.")],
    ),
    "marker by keyword": (
        marked('size: A[int, NS(path="exec.moe")] = 1'),
        [("size", "int", "1", "exec.moe", "")],
    ),
    "marker of a module": (marked('size: A[int, utils.NS("exec")] = 1'), [("size", "int", "1", "exec", "")]),
    "Annotated written out": (
        marked('size: typing.Annotated[int, NS("exec")] = 1'),
        [("size", "int", "1", "exec", "")],
    ),
    "type over several lines": (
        marked(
            "size: A[", "    Optional[", "        Dict[str, int]", "    ],", '    NS("exec"),', "] = None"
        ),
        [("size", "Optional[Dict[str, int]]", "None", "exec", "")],
    ),
    "type as a string": (
        marked('size: A["Optional[ int ]", NS("exec")]'),
        [("size", "Optional[ int ]", None, "exec", "")],
    ),
    "default factory": (
        marked('names: A[List[str], NS("exec")] = field(default_factory=lambda: list(NAMES))'),
        [("names", "List[str]", "field(default_factory=lambda: list(NAMES))", "exec", "")],
    ),
    "private field": (marked('_set: A[bool, NS("exec")] = False'), [("_set", "bool", "False", "exec", "")]),
    "without any marker": (marked('size: A[int, "Help."] = 1'), [("size", "int", "1", None, "Help.")]),
    "without Annotated": (marked("size: int = 1"), [("size", "int", "1", None, "")]),
    "class": (classes('size: A[int, "Help."] = 1'), [("size", "int", "1", "parallel", "Help.")]),
    "class, bare type": (
        classes("size: Optional[int] = None"),
        [("size", "Optional[int]", "None", "parallel", "")],
    ),
    "class, nested path": (
        classes("size: A[int, 'x'] = 1", path="exec.moe"),
        [("size", "int", "1", "exec.moe", "x")],
    ),
    "class, annotated path": (
        {"fields/a.py": 'class One:\n    _PATH: str = "exec"\n    size: A[int, ""] = 1\n'},
        [("size", "int", "1", "exec", "")],
    ),
    "classes of several files, in their order": (
        {
            "fields/b.py": 'class B:\n    _PATH = "b"\n    two: int\n',
            "fields/a.py": 'class A1:\n    _PATH = "a"\n    one: int\n'
            'class A2:\n    _PATH = "a.x"\n    more: int\n',
        },
        [("one", "int", None, "a", ""), ("more", "int", None, "a.x", ""), ("two", "int", None, "b", "")],
    ),
    "classes before markers": (
        {**marked('old: A[int, NS("a")] = 1'), **classes("new: A[int, 'x'] = 1")},
        [("new", "int", "1", "parallel", "x")],
    ),
    "markers where the folder declares nothing": (
        {**marked('old: A[int, NS("a")] = 1'), "fields/__init__.py": "def collect(): ...\n"},
        [("old", "int", "1", "a", "")],
    ),
    "a byte order mark": (
        {"args.py": b'\xef\xbb\xbfclass Args:\n    size: A[int, NS("a")] = 1\n'},
        [("size", "int", "1", "a", "")],
    ),
    "an encoding cookie": (
        {
            "args.py": b'# coding: latin-1\nclass Args:\n    size: A[int, "gr\xf6\xdfe", NS("a")] = 1\n',
        },
        [("size", "int", "1", "a", "gr\xf6\xdfe")],
    ),
}

IGNORES = {
    "another class": {"args.py": 'class Other:\n    size: A[int, NS("a")] = 1\n'},
    "a nested class": {"args.py": 'class Outer:\n    class Args:\n        size: A[int, NS("a")] = 1\n'},
    "another file": {"other.py": 'class Args:\n    size: A[int, NS("a")] = 1\n'},
    "a file that is not Python": {"fields/one.txt": 'class One:\n    _PATH = "a"\n    size: int\n'},
    "a class without fields": marked("pass"),
    "an assignment without a type": marked("LIMITS = (1, 2)"),
    "a class variable": marked("limit: ClassVar[int] = 1"),
    "a class variable of a module": marked("limit: typing.ClassVar = 1"),
    "an init-only variable": marked("seed: InitVar[int] = 1"),
    "the keyword-only mark": marked("_: KW_ONLY"),
    "an attribute target": marked("other.size: int = 1"),
    "a method's annotation": marked("def make(self) -> int:", "    size: int = 1", "    return size"),
    "a derived name of a class": classes('width = Derived(fn="a.b")'),
    "a helper class without a path": {"fields/a.py": "class Helper:\n    size: int = 1\n"},
    "an empty tree": {},
}

REFUSES = {
    "a field without a marker among others": (
        marked('size: A[int, NS("a")] = 1', "path: A[str, 'x'] = ''", "name: str = ''"),
        "fields without a namespace, where others have one: "
        "path (args.py:4), name (args.py:5); give each its own",
    ),
    "a class of fields without a path": (
        {**classes("size: A[int, ''] = 1"), "fields/two.py": "class Two:\n    more: A[int, ''] = 1\n"},
        "fields without a namespace, where others have one: more (fields/two.py:2); give each its own",
    ),
    "a leaf named like a group": (
        marked('moe: A[int, NS("exec")] = 1', 'size: A[int, NS("exec.moe")] = 1'),
        "both a field and a group of fields: exec.moe (args.py:3); rename one of the two",
    ),
    "several of both": (
        marked(
            *(f'{name}: A[int, NS("x")] = 1' for name in "cbad"),
            *(f'in_{name}: A[int, NS("x.{name}")] = 1' for name in "dabc"),
        ),
        "both a field and a group of fields: "
        "x.a (args.py:5), x.b (args.py:4), x.c (args.py:3), x.d (args.py:6); rename",
    ),
    "a leaf named like a group further up": (
        marked('x: A[int, NS("a.b.c")] = 1', 'b: A[int, NS("a")] = 1'),
        "both a field and a group of fields: a.b (args.py:4); rename one of the two",
    ),
    "a field of two namespaces": (
        {
            "fields/a.py": 'class A1:\n    _PATH = "a"\n    size: int\n',
            "fields/b.py": 'class B1:\n    _PATH = "b"\n    size: int\n',
        },
        "size is declared in two namespaces, a (fields/a.py:3) and b (fields/b.py:3); remove one of them",
    ),
    "a computed namespace": (
        marked('size: A[int, NS("a" + SUFFIX)] = 1'),
        "args.py:3 NS(...) must hold a namespace as a literal string; write it out there",
    ),
    "an empty marker": (
        marked("size: A[int, NS()] = 1"),
        "args.py:3 NS(...) must hold a namespace as a literal string; write it out there",
    ),
    **{
        f"{path!r} as a namespace": (
            marked(f"size: A[int, NS({path!r})] = 1"),
            f"args.py:3 NS(...) holds {path!r}, which is no namespace; write names with dots between",
        )
        for path in ("exec.moe-x", "exec..moe", ".", "exec.class", "exec.2", "exec\n", " exec")
    },
    "a path that is no namespace": (
        {"fields/a.py": 'class A1:\n    _PATH = "exec/moe"\n    size: int\n'},
        "fields/a.py:2 _PATH holds 'exec/moe', which is no namespace; write names with dots between",
    ),
    "a line that brings parsers down": (
        marked(f'size: A[int, NS("a")] = {"+".join(["1"] * 200_000)}'),
        "args.py declares the schema and has a line of over 50,000 bytes; break it",
    ),
    "a computed path": (
        {"fields/a.py": "class A1:\n    _PATH = NAME\n    size: int\n"},
        "fields/a.py:2 _PATH must hold a namespace as a literal string; write it out there",
    ),
    "a file that does not parse": (
        {"args.py": "class Args:\n    size: A[int = 1\n"},
        "args.py:2 declares the schema and does not parse",
    ),
    "a file with a NUL byte": (
        {"args.py": b"class Args:\n\0"},
        "args.py:1 declares the schema and does not parse",
    ),
}


@pytest.mark.parametrize(("tree", "fields"), FINDS.values(), ids=FINDS)
def test_finds(
    tree: dict[str, str | bytes], fields: list[tuple[str, str, str | None, str | None, str]]
) -> None:
    assert rows(extract_from(tree)) == fields


@pytest.mark.parametrize("tree", IGNORES.values(), ids=IGNORES)
def test_ignores(tree: dict[str, str | bytes]) -> None:
    assert rows(extract_from(tree)) == []


@pytest.mark.parametrize("tree", IGNORES.values(), ids=IGNORES)
def test_ignores_beside_a_field(tree: dict[str, str | bytes]) -> None:
    """What is no field does not become one, nor an error, beside a real field."""
    beside = {**tree, "fields/zz.py": 'class Zz:\n    _PATH = "zz"\n    real: int\n'}
    assert [row[0] for row in rows(extract_from(beside))] == ["real"]


@pytest.mark.parametrize(("tree", "message"), REFUSES.values(), ids=REFUSES)
def test_refuses(tree: dict[str, str | bytes], message: str) -> None:
    with pytest.raises(JudgeError) as error:
        extract_from(tree)
    assert str(error.value).startswith(message)
    assert error.value.exit_code == 3


@pytest.mark.parametrize(
    "lines",
    [
        ('size: A[int, NS("a")] = 1', 'size: A[str, NS("a")] = ""'),
        ('size: A[int, "x"] = 1', 'size: A[str, "x"] = ""'),
        ('size: A[int, NS("b")] = 1', 'size: A[str, NS("a")] = ""'),
    ],
    ids=["same namespace", "no namespace", "another namespace"],
)
def test_a_field_declared_twice_is_a_note_and_the_last_wins(lines: tuple[str, str]) -> None:
    schema = extract_from(marked(*lines))
    assert schema is not None
    assert [(name, field.type) for name, field in schema.fields.items()] == [("size", "str")]
    assert schema.notes == ("size is declared twice, at args.py:3 and args.py:4; the last wins",)


@pytest.mark.parametrize(
    "line",
    [
        f'size: A[int, NS("a")] = {" + ".join(["1"] * 1500)}',
        f'size: A[{" | ".join(["int"] * 1500)}, NS("a")] = 1',
    ],
    ids=["default", "type"],
)
def test_what_is_nested_beyond_sense_is_refused(line: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # type checkers, run by other tests, raise it
    try:
        with pytest.raises(JudgeError, match=r"^args\.py declares the schema and is nested too deeply"):
            extract_from(marked(line))
    finally:
        sys.setrecursionlimit(limit)


def test_the_tree_is_never_executed() -> None:
    tree = {"args.py": 'raise SystemExit(9)\nclass Args:\n    size: A[int, NS("a")] = exit(9)\n'}
    assert rows(extract_from(tree)) == [("size", "int", "exit(9)", "a", "")]


def test_source_files_are_those_of_all_shapes_sorted() -> None:
    tree = {"fields/b.py": "", "fields/a.py": "", "fields/readme.md": "", "args.py": "", "other.py": ""}
    assert source_files(readers(tree)[1], SHAPES) == ("args.py", "fields/a.py", "fields/b.py")
