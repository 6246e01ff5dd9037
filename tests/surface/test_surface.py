"""What a tree offers: read, written as text and read back, and asked for names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.cli.run import run
from ratchet.errors import JudgeError
from ratchet.frozen import replace
from ratchet.schema import load_snapshot, snapshot_versions, tree_readers
from ratchet.surface import (
    Module,
    Release,
    Standing,
    decode,
    encode,
    load_history,
    read_release,
    stand,
    with_release,
)
from ratchet.surface.signatures import parameters_of
from tests.shipped import PACK
from tests.surface.trees import NEW, OLD, read_tree, releases
from tests.trees import tree_of

VERSIONS = [f"0.5.{number}" for number in range(15, 24)]
FOLDER = Path(PACK.folder)


def test_a_tree_is_read() -> None:
    release = read_tree("1.0", OLD)
    assert release.tops == ("sglang.srt",)
    assert release.fields == {
        "page_size": "memory",
        "pages": "exec.moe",
        "tp_size": "parallel",
        "old_flag": "exec.moe",
    }
    assert release.modules["sglang.srt.utils"] == Module(passed=frozenset({"helper", "LIMIT"}))
    assert release.modules["sglang.srt.lazy"] == Module(
        defined=frozenset({"LAZY", "__getattr__"}), texts=frozenset({"later"}), open=True
    )
    assert release.modules["sglang.srt.server_args"] == Module(
        defined=frozenset({"ServerArgs", "get_global_server_args"}),
        private=frozenset({"helper"}),
        texts=frozenset({"memory", "parallel", "cpu"}),
        signatures={
            "ServerArgs": "@dataclass class()",
            "ServerArgs.device": "",
            "ServerArgs.old_flag": "",
            "ServerArgs.override": "(self, source, **fields)",
            "ServerArgs.page_size": "",
            "ServerArgs.pages": "",
            "ServerArgs.tp_size": "",
            "ServerArgs.url": "(self, port=..., *, secure=...)",
            "get_global_server_args": "()",
        },
    )


def test_what_refuses_and_what_is_made_anew() -> None:
    module = read_tree("2.0", NEW).modules["sglang.srt.server_args"]
    assert module.refusing == {"get_global_server_args"}
    assert module.signatures["ServerArgs"] == "@dataclass class() by make"


@pytest.mark.parametrize(
    ("text", "names", "is_open"),
    [
        pytest.param(
            "try:\n    import a\nexcept ImportError:\n    def f(): ...\n", {"f"}, False, id="branch"
        ),
        pytest.param("(a, [b]), c = 1\nd: int\n", {"a", "b", "c", "d"}, False, id="targets"),
        pytest.param("def f():\n    def g(): ...\n", {"f"}, False, id="inner-functions-are-no-names"),
        pytest.param("from torch import *\n", set(), True, id="star-of-another-package"),
        pytest.param("from .utils import helper as h\n", {"h"}, False, id="renamed"),
        pytest.param("from torch import nn\nimport os\n", set(), False, id="other-packages-are-left-out"),
        pytest.param("from .made import *\n", {"listed", "_private"}, False, id="star-of-what-is-listed"),
        pytest.param("from .kept import *\n", {"seen", "TABLE"}, False, id="star-that-leaves-some-out"),
        pytest.param("from .missing import *\n", set(), True, id="star-of-nothing"),
    ],
)
def test_names_of_a_module(text: str, names: set[str], is_open: bool) -> None:
    made = '__all__ = ["listed", "_private"]\nlisted = _private = other = 1\n'
    kept = (
        'seen = left = too = 1\nTABLE = {"left": 1}\nTABLE["too"] = 2\n'
        "__all__ = [name for name in list(globals()) if name not in TABLE]\n"
    )
    files = {"srt/x.py": text, "srt/made.py": made, "srt/kept.py": kept}
    module = read_tree("1", files).modules["sglang.srt.x"]
    assert (set(module.defined | module.passed | module.private), module.open) == (names, is_open)


def test_what_a_module_passes_on() -> None:
    """All that a package imports, and of another module what is imported from it; the rest is its own."""
    files = {
        "srt/__init__.py": "from .a import one, two, three\n",
        "srt/a.py": "from .b import *\nfrom .b import three\nfour = 1\n",
        "srt/b.py": "one = two = three = four = five = 1\n",
        "srt/deep/c.py": "def f():\n    from ..a import five\n",
    }
    release = read_tree("1", files)
    assert release.modules["sglang.srt"].passed == {"one", "two", "three"}
    module = release.modules["sglang.srt.a"]
    assert (set(module.passed), set(module.private)) == ({"one", "two", "three", "five"}, set())
    assert "sglang.srt.deep" in release.modules
    del files["srt/deep/c.py"]
    later = read_tree("2", files)
    assert later.modules["sglang.srt.a"].private == {"five"}
    alone, both = decode(encode((later,)), "here"), decode(encode((release, later)), "here")
    assert alone[0].modules["sglang.srt.a"].passed == {"one", "two", "three"}
    assert both[1].modules["sglang.srt.a"].passed == {"one", "two", "three", "five"}


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        pytest.param({"srt/a.py": "def"}, "srt/a.py:1 does not parse", id="unparsable"),
        pytest.param({"other/a.py": ""}, "the tree has no file in srt", id="no-engine"),
    ],
)
def test_trees_that_cannot_be_read(files: dict[str, str], sentence: str) -> None:
    with pytest.raises(JudgeError, match=sentence):
        read_tree("1", files)


@pytest.mark.parametrize(
    ("dotted", "standing"),
    [
        pytest.param("sglang.srt.cache", Standing("there", "sglang.srt.cache"), id="module"),
        pytest.param("sglang.srt.cache.Pool", Standing("there", "sglang.srt.cache", "Pool"), id="name"),
        pytest.param(
            "sglang.srt.cache.Pool.x", Standing("there", "sglang.srt.cache", "Pool"), id="in-a-name"
        ),
        pytest.param("sglang.srt.cache.no", Standing("gone", "sglang.srt.cache", "no"), id="no-name"),
        pytest.param("sglang.srt.no.x", Standing("gone", "sglang.srt", "no"), id="no-module"),
        pytest.param("sglang.srt.lazy.later", Standing("there", "sglang.srt.lazy", "later"), id="lazy"),
        pytest.param("sglang.srt.lazy.no", Standing("open", "sglang.srt.lazy", "no"), id="open"),
        pytest.param("sglang.lang.x", Standing("outside", "sglang.lang.x"), id="outside"),
        pytest.param("sglang.srtx", Standing("outside", "sglang.srtx"), id="a-longer-name"),
        pytest.param(
            "sglang.srt.server_args.get_global_server_args",
            Standing("refuses", "sglang.srt.server_args", "get_global_server_args"),
            id="refuses",
        ),
        pytest.param(
            "sglang.srt.server_args.ServerArgs.url",
            Standing("there", "sglang.srt.server_args", "ServerArgs", "url"),
            id="member",
        ),
        pytest.param(
            "sglang.srt.server_args.ServerArgs.override",
            Standing("gone", "sglang.srt.server_args", "ServerArgs", "override"),
            id="no-member",
        ),
        pytest.param(
            "sglang.srt.runtime_context.Parallel.any",
            Standing("open", "sglang.srt.runtime_context", "Parallel", "any"),
            id="class-that-answers-itself",
        ),
    ],
)
def test_how_a_name_stands(dotted: str, standing: Standing) -> None:
    assert stand(read_tree("2.0", NEW), dotted) == standing


@pytest.mark.parametrize(
    ("signature", "names", "anything"),
    [
        ("(self, a, b=..., *, c)", {"self", "a", "b", "c"}, False),
        ("(*args, **rest)", set(), True),
        ("()", set(), False),
    ],
)
def test_parameters(signature: str, names: set[str], anything: bool) -> None:
    found, is_any = parameters_of(signature)
    assert (set(found), is_any) == (names, anything)


# As text

WRITTEN = """\
# ratchet surface 2
# packages sglang.srt
# engines 1.0 1.1 2.0
@fields\t*
\texec.moe\t1.0-1.1\told
\tmemory\t*\tpage tp
.a\t1.0,2.0
\tdef\t2.0\tg h
\tdef\t1.0,2.0\tf
\traise\t2.0\tg
\tsign\t1.0\tf (a)
\tsign\t2.0\tf (a, b=...)
\topen\t2.0\t
"""


def test_the_text_of_a_history() -> None:
    first, _, last = found = decode(WRITTEN, "here")
    assert encode(found) == WRITTEN
    assert last.modules["sglang.srt.a"] == Module(
        defined=frozenset("fgh"), refusing=frozenset("g"), signatures={"f": "(a, b=...)"}, open=True
    )
    assert first.fields == {"old": "exec.moe", "page": "memory", "tp": "memory"}
    assert [sorted(one.modules) for one in found] == [["sglang.srt.a"], [], ["sglang.srt.a"]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# ratchet surface 2", "# ratchet surface 1"),
        ("\tdef\t2.0\tg h", "\tdef\t3.0\tg h"),
        ("\tdef\t2.0\tg h", "\twhat\t2.0\tg h"),
        ("\tdef\t2.0\tg h", "\tdef\tg h"),
        (".a\t1.0,2.0", ".a"),
        (".a\t1.0,2.0", ".a\t1.0"),
    ],
)
def test_damage_is_named(old: str, new: str) -> None:
    with pytest.raises(JudgeError, match=r"^here: .*`ratchet surface record`$"):
        decode(WRITTEN.replace(old, new, 1), "here")


_names = st.frozensets(st.from_regex(r"[a-z_]{1,5}", fullmatch=True), max_size=5)
_modules = st.builds(
    Module, _names, _names, _names, _names,
    st.dictionaries(st.sampled_from("fgh"), st.sampled_from(["", "(a)", "(a, b=...)"])), st.booleans(),
)  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(["p.a", "p.b", "p"]), _modules),
            st.dictionaries(st.sampled_from(["x", "y", "z"]), st.sampled_from(["", "one", "two.three"])),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_decode_gives_back_what_encode_wrote(parts: list[tuple[dict[str, Module], dict[str, str]]]) -> None:
    made = tuple(Release(f"1.{n}", ("p",), *part) for n, part in enumerate(parts))
    assert decode(encode(made), "here") == made


def test_a_release_is_put_in_its_place() -> None:
    old, middle, new = releases()
    assert with_release((old, new), middle) == (old, middle, new)
    assert with_release((old, middle, new), middle) == (old, middle, new)
    ten = Release("1.10", old.tops, {}, {})
    assert [one.engine for one in with_release((old, middle, new), ten)] == ["1.0", "1.1", "1.10", "2.0"]


# The shipped one


def test_the_shipped_history() -> None:
    found = load_history(FOLDER / "surface.tsv")
    assert [release.engine for release in found] == VERSIONS
    assert encode(found) == (FOLDER / "surface.tsv").read_text(encoding="utf-8")


@pytest.mark.parametrize("version", snapshot_versions(FOLDER / "schema"))
def test_its_fields_are_those_of_the_schema_snapshots(version: str) -> None:
    release = next(one for one in load_history(FOLDER / "surface.tsv") if one.engine == version)
    schema = load_snapshot(FOLDER / "schema", version)
    assert release.fields == {name: field.namespace for name, field in schema.fields.items()}


def test_what_is_written_instead_is_there() -> None:
    history = load_history(FOLDER / "surface.tsv")
    assert PACK.surface is not None
    for name, instead in PACK.surface.instead:
        accessor, _, leaf = instead.partition("().")
        states = [stand(release, name).state for release in history]
        assert states[0] == "there", name
        assert set(states) & {"gone", "refuses"}, name
        for release, state in zip(history, states, strict=True):
            if state != "there":
                assert stand(release, accessor).state == "there", instead
                signs = {sign for module in release.modules.values() for sign in module.signatures}
                assert not leaf or any(sign.endswith(f".{leaf}") for sign in signs), (instead, release.engine)


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_it_agrees_with_the_release(version: str) -> None:
    place = tree_of(version)
    release = next(one for one in load_history(FOLDER / "surface.tsv") if one.engine == version)
    read = read_release(version, *tree_readers(place), PACK)
    assert (read.tops, read.fields, read.modules.keys()) == (
        release.tops,
        release.fields,
        release.modules.keys(),
    )
    for name, module in read.modules.items():
        held = release.modules[name]
        assert module.passed <= held.passed <= module.passed | module.private
        assert replace(held, passed=module.passed, private=module.private) == module


def test_the_names_of_a_module_are_shown_with_how_they_are_called(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["surface", "show", "0.5.20", "sglang.srt.runtime_context", "--pack", "sglang"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "CaptureFlags: class(_FlagGroupBase)",
        "  disable_dispose_tensor",
        "  enable_torch_compile",
    ]
    assert "get_parallel()" in lines
