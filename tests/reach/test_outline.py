"""An outline and the functions that it leaves out are what a parser makes of the whole text."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from textwrap import dedent

import pytest

from ratchet.reach.outline import Function, outline_of
from tests.trees import tree_of

LEFT_OUT = {
    "plain": """
        import shop

        def ring(till):
            # nothing
            return till.ring()

        def count(): return 0
        """,
    "signatures": """
        def one(a=(1, 2), b: dict[str, int] = {"a:": 1}) -> "list[int]":  # a comment: it ends here
            return b

        def two(
            a,  # ):
            b=lambda x: x,
        ):
            return a

        async   def three(*, a: int = 3) -> None:
            await a
        """,
    "classes": """
        class A:
            x = 1

            @property
            @other("def f():")
            def a(self):
                def inner():
                    return 1
                return inner

            if x:
                def b(self):
                    pass
            else:
                async def b(self):
                    pass
            y = 2
        if True:
            def c():
                pass


        z = 3
        """,
    "texts-that-look-like-code": """
        def f():
            '''
        def g():
            pass
            '''
            x = \"\"\"
        def h(): "' \\\"\"\"
        \"\"\"
            return "# no comment" + 'it\\'s' + "\\\\"
        t = '''
        def i():
            pass
        '''
        u = "a \\
        def j():"
        def k():
            return r"\\d", f"{t}", b'', ''
        """,
    "comments-and-blank-lines": """
        def f():

        # to the left, with a "quote
            x = 1  # it's

            # the last
        # further left

        y = f() # def g():
        """,
    "joined-lines": """
        def \\
            f(a,
          b): \\
            # none
            x = a + \\
        b
            return x
        """,
    "tabs": "class A:\n\tdef f(self):\n\t\treturn 1\n\n\tdef g(self):\n\t\treturn 2\nx = 1\n",
    "no-end-of-line": "def f():\n    return 1",
    "a-script": """
        if __name__ == "__main__":
            def own():
                return 1

            own()
        """,
}

NOT_TOLD = {
    "form-feed": "def f():\n    pass\n\fx = 1\n",
    "a-line-of-its-own": "def f():\n    pass\n\\\nx = 1\n",
    "open-text": 'def f():\n    """\n',
    "open-signature": "def f(a:\n",
    "no-body": "def f():\n",
    "quotes-in-quotes": "def f():\n    pass\nx = '''a\n",
}

TEXTS = {
    "parameters-are-left-out": (
        "def f(\n    a: int,\n) -> str:\n    return a\n\nx = 1\n",
        "def f():\n\n\n pass\n\nx = 1\n",
    ),
    "default-values-are-not": ("def f(a, b=g()):  # g\n    return a\n", "def f(a, b=g()):\n pass\n"),
    "those-of-a-method": (
        "class A:\n  async def f(self) -> A: # =\n    return self",
        "class A:\n  async def f():\n   pass",
    ),
    "a-body-on-the-same-line": ("def f(a): return a\n", "def f(a): return a\n"),
}

BROKEN_OUTLINES = {"less-indented-in-brackets": "def f():\n    x = [\n1,\n]\n    return x\n"}


def functions(node: ast.AST) -> Iterator[Function]:
    """The functions that no other one holds."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield child
        else:
            yield from functions(child)


def dumped(node: ast.AST) -> str:
    """A tree with the places of everything."""
    return ast.dump(node, include_attributes=True)


def agrees(text: str) -> int:
    """How many functions are left out; all is compared with the tree of the whole text."""
    outline = outline_of(text)
    assert outline is not None
    whole, tree = ast.parse(text), ast.parse(outline.text)
    for function, left in zip(functions(whole), functions(tree), strict=True):
        assert (function.lineno, function.end_lineno) == (left.lineno, left.end_lineno)
        assert [*map(dumped, function.decorator_list)] == [*map(dumped, left.decorator_list)]
        marks, function.decorator_list, left.decorator_list = function.decorator_list, [], []
        if function.lineno in outline.left:
            assert dumped(function) == dumped(outline.function(function.lineno))
            assert [*map(dumped, defaults(function))] == [*map(dumped, defaults(left))]
            left.args, left.returns, left.body = function.args, function.returns, function.body
            left.end_col_offset = function.end_col_offset
        function.decorator_list = left.decorator_list = marks
    for node in (*ast.walk(whole), *ast.walk(tree)):
        if isinstance(node, ast.stmt | ast.excepthandler):
            node.end_col_offset = 0  # a block that ends with such a function ends in another column
    assert dumped(whole) == dumped(tree)
    return len(outline.left)


def defaults(function: Function) -> list[ast.expr]:
    """The default values of parameters, which are evaluated where the function is defined."""
    return [*function.args.defaults, *filter(None, function.args.kw_defaults)]


@pytest.mark.parametrize("source", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_is_left_out_is_parsed_as_it_stands(source: str) -> None:
    assert agrees(dedent(source).lstrip("\n"))


@pytest.mark.parametrize(("source", "text"), TEXTS.values(), ids=TEXTS)
def test_the_text_of_an_outline(source: str, text: str) -> None:
    outline = outline_of(source)
    assert outline is not None
    assert outline.text == text


@pytest.mark.parametrize("text", NOT_TOLD.values(), ids=NOT_TOLD)
def test_where_only_a_parser_can_tell_there_is_no_outline(text: str) -> None:
    assert outline_of(text) is None


@pytest.mark.parametrize("text", BROKEN_OUTLINES.values(), ids=BROKEN_OUTLINES)
def test_an_outline_that_cuts_a_statement_does_not_parse(text: str) -> None:
    outline = outline_of(text)
    assert outline is not None
    assert ast.parse(text)
    with pytest.raises(SyntaxError):
        ast.parse(outline.text)


@pytest.mark.slow
def test_real_files_are_parsed_in_parts_as_in_one() -> None:
    root = tree_of("0.5.17")
    told = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in sorted(root.rglob("*.py")):
            text = path.read_text(encoding="utf-8-sig")
            outline = outline_of(text)
            try:
                ast.parse(outline.text if outline else "")
            except SyntaxError:
                continue
            told += bool(outline) and bool(agrees(text) or True)
    assert told > 2_900
