"""The proof finds every change that nobody planned, and lets pass what was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ratchet.codemod.model import Edit, Rewritten
from ratchet.codemod.proof import prove
from ratchet.frozen import replace
from tests.codemod.rewrite.planning import EXAMPLE, STYLE, plan, rewrite_text, with_writes

BEFORE = """\
# About this.
import os

from sglang.srt.runtime_context import get_server_args, get_stream


@wrap
class A:
    def f(self, n):
        # The size.
        sa = get_server_args()
        if sa.dp_size > n:  # larger
            self.n = n
        return sa.ep_size, get_stream(), os


def g(server_args, n):
    server_args.dp_size = n + 1
    server_args.ep_size = 2
    server_args.override("s", moe_dense_tp_size=n)
"""


def proven(old: str, new: str) -> list[str]:
    """What is wrong with a new text, for the edits that the old one's plan has."""
    made = rewrite_text(old, wanted=with_writes).rewritten
    assert made is not None
    if new == made.new.decode():
        return [problem.message for problem in prove(made, STYLE)]
    edits = tuple(plan(EXAMPLE, old, with_writes))
    return [problem.message for problem in prove(_forged(old, new, edits), STYLE)]


def _forged(old: str, new: str, edits: tuple[Edit, ...]) -> Rewritten:
    """A rewritten file that says of itself that all between its first and last difference changed."""
    start = next(at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    end = next(at for at, (one, other) in enumerate(zip(old[::-1], new[::-1], strict=False)) if one != other)
    end = min(end, len(old) - start, len(new) - start)
    change = (start, len(old) - end, new[start : len(new) - end])
    return Rewritten(EXAMPLE, old.encode(), new.encode(), edits, (change,))


def test_what_was_made_is_proven() -> None:
    made = rewrite_text(BEFORE, wanted=with_writes).rewritten
    assert made is not None
    assert proven(BEFORE, made.new.decode()) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("get_parallel().dp_size", "get_parallel().tp_size", id="another-field"),
        pytest.param("get_parallel().dp_size", "get_exec().dp_size", id="another-namespace"),
        pytest.param("get_parallel().dp_size", "(get_parallel().dp_size + 0)", id="another-expression"),
        pytest.param("get_parallel().dp_size > n", "get_parallel().dp_size >= n", id="another-operator"),
        pytest.param("self.n = n", "self.n = n + 1", id="another-value"),
        pytest.param("self.n = n", "self.m = n", id="another-target"),
        pytest.param("            self.n = n\n", "            pass\n", id="a-statement-less"),
        pytest.param(
            "            self.n = n\n", "            self.n = n\n        x = 1\n", id="a-statement-more"
        ),
        pytest.param("        return get", "            return get", id="another-block"),
        pytest.param("return get_parallel().ep_size, ", "return ", id="a-value-less"),
        pytest.param("get_stream(), os", "get_stream(), os, 1", id="a-value-more"),
        pytest.param("get_stream(), os", "get_stream(1), os", id="another-argument"),
        pytest.param("import os\n", "import os, sys\n", id="another-import"),
        pytest.param("import os\n\n", "\n", id="an-import-less"),
        pytest.param(", get_parallel, get_stream", ", get_stream", id="import-missing"),
        pytest.param("get_stream\n", "get_stream, publish\n", id="a-name-more"),
        pytest.param("get_parallel, get_stream\n", "get_parallel\n", id="a-name-less"),
        pytest.param("get_stream\n", "get_server_args, get_stream\n", id="a-dead-name-left"),
        pytest.param("# About this.", "# About that.", id="another-comment"),
        pytest.param("# About this.\n", "", id="a-comment-less"),
        pytest.param("        # The size.\n", "", id="an-inner-comment-less"),
        pytest.param("@wrap\n", "", id="a-decorator-less"),
        pytest.param("@wrap", "@warp", id="another-decorator"),
        pytest.param("dp_size=n + 1", "dp_size=n + 2", id="another-stored-value"),
        pytest.param("dp_size=n + 1, ep_size=2", "dp_size=n + 1", id="a-store-less"),
        pytest.param("ep_size=2", "ep_size=2, tp_size=3", id="a-store-more"),
        pytest.param("dp_size=n + 1", "pp_size=n + 1", id="another-stored-field"),
        pytest.param('"srt.example.g"', '"elsewhere"', id="another-source"),
        pytest.param('"s", moe', '"t", moe', id="another-source-of-an-override"),
        pytest.param("moe_dense_tp_size=n", "moe_dense_tp_size=1", id="another-value-of-an-override"),
        pytest.param("        if get", "        sa = get_server_args()\n        if get", id="an-alias-left"),
        pytest.param("def g(server_args, n)", "def g(n)", id="a-parameter-less"),
        pytest.param("def g(server_args, n)", "async def g(server_args, n)", id="another-kind-of-function"),
    ],
)
def test_what_nobody_planned_is_found(old: str, new: str) -> None:
    made = rewrite_text(BEFORE, wanted=with_writes).rewritten
    assert made is not None
    right = made.new.decode()
    assert old in right
    assert proven(BEFORE, right.replace(old, new, 1)) != []


def test_a_text_that_does_not_parse() -> None:
    made = rewrite_text(BEFORE, wanted=with_writes).rewritten
    assert made is not None
    broken = replace(made, new=made.new.replace(b"class A:", b"class A"))
    assert [problem.message for problem in prove(broken, STYLE)] == ["does not parse: expected ':'"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            lambda new: b"\xef\xbb\xbf" + new, "its byte order mark or its encoding changed", id="mark"
        ),
        pytest.param(lambda new: new.rstrip(b"\n"), "its line ends changed", id="final-newline"),
        pytest.param(lambda new: new.replace(b"\n", b"\r\n"), "its line ends changed", id="crlf"),
        pytest.param(
            lambda new: new.replace(b"# The size.", b"# The sizes."),
            "the comment `# The size.` was lost",
            id="comment",
        ),
        pytest.param(
            lambda new: new.replace(b"  # larger", b""),
            "its bytes differ outside of the changes",
            id="trailing",
        ),
        pytest.param(
            lambda new: new.replace(b"def g(", b"def g ("),
            "its bytes differ outside of the changes",
            id="blank",
        ),
        pytest.param(
            lambda new: new.replace(b"return get", b"return  get"),
            "its bytes differ outside of the changes",
            id="blank-in-a-changed-line",
        ),
        pytest.param(lambda new: new + b"\n", "its bytes differ outside of the changes", id="blank-line"),
    ],
)
def test_layout_is_proven(change: Callable[[bytes], bytes], message: str) -> None:
    made = rewrite_text(BEFORE, wanted=with_writes).rewritten
    assert made is not None
    found = [problem.message for problem in prove(replace(made, new=change(made.new)), STYLE)]
    assert any(known.startswith(message) for known in found)


def test_a_local_import_further_down_is_found() -> None:
    old = "class A:\n    def f(self):\n        return self.server_args.dp_size\n"
    new = "class A:\n    def f(self):\n        return get_parallel().dp_size\n"
    assert proven(old, new) != []


LOCAL = """\
"Text."

from __future__ import annotations


def f(server_args, n):
    return n and server_args.dp_size


def g():
    from sglang.srt.runtime_context import get_stream

    return get_stream()
"""
MOVED = LOCAL.replace("server_args.dp_size", "get_parallel().dp_size")
LINE = "from sglang.srt.runtime_context import get_parallel\n"


@pytest.mark.parametrize(
    ("new", "is_right"),
    [
        pytest.param(MOVED.replace("    return n", f"    {LINE}    return n"), True, id="above-its-use"),
        pytest.param(MOVED.replace("\n\n\ndef g", f"\n    {LINE}\n\ndef g"), False, id="below-its-use"),
        pytest.param(MOVED.replace("\n\n\n", f"\n\n{LINE}\n\n", 1), True, id="below-the-head"),
        pytest.param(MOVED.replace("from __f", f"{LINE}\nfrom __f"), False, id="above-imports-of-the-future"),
        pytest.param(LINE + MOVED, False, id="above-the-docstring"),
    ],
)
def test_an_import_in_a_wrong_place_is_found(new: str, is_right: bool) -> None:
    edits = tuple(plan(EXAMPLE, LOCAL, lambda access: True))
    assert (prove(_forged(LOCAL, new, edits), STYLE) == ()) == is_right


def test_a_name_that_is_another_one_in_a_class_is_found() -> None:
    head = "from sglang.srt.runtime_context import get_parallel as __get, get_server_args\n\n\n"
    old = f"{head}class A:\n    def f(self):\n        return get_server_args().dp_size, get_server_args\n"
    edits = tuple(plan(EXAMPLE, old))
    found = prove(_forged(old, old.replace("get_server_args().", "__get()."), edits), STYLE)
    assert [problem.message for problem in found] == ["`__get` is not defined there any more"]


def test_a_second_plan_has_to_be_empty() -> None:
    made = rewrite_text(BEFORE, wanted=with_writes).rewritten
    assert made is not None
    left = made.edits[0]

    def replan(_path: str, _data: bytes) -> tuple[Edit, ...]:
        return (left,)

    def done(path: str, data: bytes) -> tuple[Edit, ...]:
        return tuple(plan(path, data.decode(), with_writes))

    message = f"`{left.before}` would move in a second run, so this one is not complete"
    assert [problem.message for problem in prove(made, STYLE, replan)] == [message]
    assert prove(made, STYLE, replan, refused={left.id}) == ()
    assert prove(made, STYLE, done) == ()
