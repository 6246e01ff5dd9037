"""Bytes as Python's parser reads them, and which files it need not see."""

# ruff: noqa: RUF001 - letters that look alike are what is tested

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.model import Problem
from ratchet.source.blob import blob_id
from ratchet.source.text import Prefilter, decode

LATIN = "# coding: latin-1\ns = 'é'\n"

DECODES = [
    pytest.param(b"", "", id="empty"),
    pytest.param(b"x = 1\n", "x = 1\n", id="ascii"),
    pytest.param(b"x = 1", "x = 1", id="no-newline-at-the-end"),
    pytest.param("s = 'naïve 数'\n".encode(), "s = 'naïve 数'\n", id="utf-8"),
    pytest.param(b"\xef\xbb\xbfx = 1\n", "x = 1\n", id="bom"),
    pytest.param(b"\xef\xbb\xbf# coding: utf-8\nx = 1\n", "# coding: utf-8\nx = 1\n", id="bom-and-cookie"),
    pytest.param(LATIN.encode("latin-1"), LATIN, id="cookie"),
    pytest.param(b"#!/x\n# vim: set fileencoding=latin-1 :\n'\xe9'", None, id="cookie-in-the-second-line"),
    pytest.param(b"\n# coding: latin-1\n'\xe9'\n", None, id="cookie-after-an-empty-line"),
    pytest.param(b"# coding: cp1252\rs = '\x80'\r", None, id="cookie-before-a-lone-return"),
    pytest.param(b"# coding: latin-1\r\ns = '\xe9'\r\n", None, id="cookie-before-return-newline"),
    pytest.param("# coding: euc-jp\ns = '数'\n".encode("euc-jp"), None, id="multi-byte"),
    pytest.param(b"# coding: utf-7\ns = '+AOk-'\n", None, id="utf-7"),
    pytest.param(b"x = 1\r\ny = 2\rz = 3\n", "x = 1\ny = 2\nz = 3\n", id="line-ends"),
    pytest.param(b"s = '''\r\n'''\n", "s = '''\n'''\n", id="line-ends-in-strings"),
    pytest.param(b"x = 1\n\x0cy = 2\n", "x = 1\n\x0cy = 2\n", id="form-feed-stays"),
    pytest.param("s = '\x85\u2028'\n".encode(), "s = '\x85\u2028'\n", id="other-separators-stay"),
    pytest.param(b"x = 1\ny = 2\n# coding: latin-1\n", "x = 1\ny = 2\n# coding: latin-1\n", id="third-line"),
    pytest.param(b"coding = 'nothing'\n", "coding = 'nothing'\n", id="no-comment-no-cookie"),
    pytest.param(b"x = 1\r# coding: no-such\r", "x = 1\n# coding: no-such\n", id="after-code-no-cookie"),
]


@pytest.mark.parametrize(("data", "text"), DECODES)
def test_decodes_as_python_does(data: bytes, text: str | None) -> None:
    found = decode(data, "a.py")
    assert isinstance(found, str)
    assert text is None or found == text
    assert ast.dump(ast.parse(found), include_attributes=True) == ast.dump(
        ast.parse(data), include_attributes=True
    )


@given(st.text("ab 'é=#\n\r\x0c\\\ufeff", max_size=12))
def test_decodes_whatever_python_parses(text: str) -> None:
    data = text.encode("utf-8")
    try:
        expected = ast.dump(ast.parse(data), include_attributes=True)
    except SyntaxError:
        return
    found = decode(data, "a.py")
    assert isinstance(found, str)
    assert ast.dump(ast.parse(found), include_attributes=True) == expected


UTF8_ADVICE = "save it as UTF-8, or declare its encoding (PEP 263)"
WIDE = "looks like UTF-16 or UTF-32, which Python does not read; save it as UTF-8"


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        pytest.param(b"x = 1\ns = '\xe9'\n", 2, f"is not utf-8; {UTF8_ADVICE}", id="latin-1-undeclared"),
        pytest.param(b"\r\r\r\n'\xff'", 4, f"is not utf-8; {UTF8_ADVICE}", id="line-ends-count"),
        pytest.param(b"\xef\xbb\xbf\n'\xff'", 2, f"is not utf-8; {UTF8_ADVICE}", id="bom-then-latin-1"),
        pytest.param(b"# coding: ascii\n'\xe9'\n", 2, f"is not ascii; {UTF8_ADVICE}", id="not-as-declared"),
        pytest.param("x = 1\n".encode("utf-16"), 1, WIDE, id="utf-16"),
        pytest.param("x = 1\n".encode("utf-16-be"), 1, WIDE, id="utf-16-without-mark"),
        pytest.param("x = 1\n".encode("utf-32"), 1, WIDE, id="utf-32"),
        pytest.param(b"x = 1\ny = 2\0\n", 2, "holds a NUL byte, which Python does not read", id="nul"),
        pytest.param(b"x\n#\0", 2, "holds a NUL byte, which Python does not read", id="nul-in-a-comment"),
        pytest.param(
            b"# coding: no-such\nx = 1\n",
            1,
            "declares an encoding that Python does not know",
            id="unknown-encoding",
        ),
        pytest.param(
            b"\xef\xbb\xbf\n# coding: latin-1\nx = 1\n",
            2,
            "declares an encoding that Python does not know",
            id="bom-against-cookie",
        ),
        pytest.param(
            b"# coding: rot13\nk = 1\n",
            1,
            "declares the encoding rot-13, which Python refuses",
            id="no-text-encoding",
        ),
        pytest.param(
            b"# coding: utf-16\nx = 1\n",
            1,
            "declares the encoding utf-16, which Python refuses",
            id="utf-16-declared-in-ascii",
        ),
        pytest.param(
            b"# coding: utf-32-le\nx=1\n\n",
            1,
            "declares the encoding utf-32-le, which Python refuses",
            id="utf-32-declared-in-ascii",
        ),
        pytest.param(b"# coding: utf-7\n'+AAA-'\n", 2, "holds a NUL character", id="nul-behind-an-encoding"),
    ],
)
def test_refuses(data: bytes, line: int, message: str) -> None:
    assert decode(data, "a.py") == Problem("a.py", line, message)


PLAIN = Prefilter.of(["server_args", "ServerArgs"])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"x = server_args.tp\n", id="name"),
        pytest.param(b"x = get_server_args()\n", id="part-of-a-name"),
        pytest.param(b"# server_args\n", id="comment"),
        pytest.param("x = ｓerver_args\n".encode(), id="fullwidth-letter"),
        pytest.param("x = 𝓼𝓮𝓻𝓿𝓮𝓻_𝓪𝓻𝓰𝓼\n".encode(), id="mathematical-letters"),
        pytest.param("x = server＿args\n".encode(), id="fullwidth-underscore"),
        pytest.param("x = ſerver_args\n".encode(), id="long-s"),
        pytest.param("# ½\nx = server_argˢ\n".encode(), id="superscript"),
        pytest.param("# coding: latin-1\nx = server_\xaargs\n".encode("latin-1"), id="latin-1-ordinal"),
        pytest.param(b"# coding: utf-7\nx = +AHM-erver_args\n", id="utf-7"),
        pytest.param(b"# coding: utf-7\nx = 1\n", id="utf-7-always"),
        pytest.param(b"# coding: iso2022_jp\nx = 1\n", id="escaping-encoding-always"),
        pytest.param(b"# coding: shift_jis\nx = 1\n", id="multi-byte-always"),
        pytest.param(b"# coding: rot13\nx = freire_netf\n", id="rot13"),
        pytest.param(b"# coding: unicode_escape\nx = \\x73erver_args\n", id="unicode-escape"),
        pytest.param(b"# coding: no-such\nx = 1\n", id="unknown-encoding"),
        pytest.param(b"\r# coding: utf-7\rx = 1\r", id="cookie-after-a-lone-return"),
        pytest.param("x = 1\n".encode("utf-16"), id="utf-16"),
        pytest.param("x = 1\n".encode("utf-16-le"), id="utf-16-without-mark"),
        pytest.param(b"x = 1\0\n", id="nul"),
        pytest.param(b"x = '\xe9'\n", id="undecodable"),
        pytest.param(b"# coding: latin-1\nx = '\xe9'\n", id="foreign-letters-of-latin-1"),
        pytest.param(b"\xff\xfe\n", id="mark-alone"),
    ],
)
def test_must_parse(data: bytes) -> None:
    assert PLAIN.hits(data)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"x = 1\n", id="ascii"),
        pytest.param(b"x = server_arg\n", id="shorter-name"),
        pytest.param(b"x = serverargs.SERVER_ARGS\n", id="other-case"),
        pytest.param(b"x = server.args\n", id="other-characters"),
        pytest.param(b"x = server_\\\nargs\n", id="a-continued-line-splits-names"),
        pytest.param("# 数 — naïve … ½ ™\n".encode(), id="foreign-text"),
        pytest.param("x = ｓerver_arg\n".encode(), id="fullwidth-letter-of-another-name"),
        pytest.param(b"\xef\xbb\xbfx = 1\n", id="bom"),
        pytest.param(b"# coding: utf-8\nx = 1\n", id="utf-8-cookie"),
        pytest.param(b"# -*- coding: latin-1 -*-\nx = 1\n", id="latin-1-cookie-with-ascii"),
        pytest.param(b"# coding: ascii\nx = 1\n", id="ascii-cookie"),
        pytest.param(b"x = 1\ny = 2\n# coding: utf-7\n", id="cookie-too-late"),
        pytest.param(b"x = 1\n# coding: utf-7\n", id="cookie-after-code"),
        pytest.param(b"coding = 1\n", id="no-cookie"),
    ],
)
def test_is_judged_by_its_bytes(data: bytes) -> None:
    assert not PLAIN.hits(data)


@pytest.mark.parametrize(
    ("code", "hit"),
    [
        (r'getattr(runtime, "get\x5fargs")', True),
        (r'getattr(runtime, "\u0067et_args")', True),
        (r'getattr(runtime, "\N{LATIN SMALL LETTER G}et_args")', True),
        (r'getattr(runtime, "\147et_args")', True),
        ('getattr(runtime, "get_" "args")', True),
        ("getattr(runtime, \"get_\"\n  # the rest\n  'args')", True),
        ('getattr(runtime, "get_" \\\n u"args")', True),
        ('getattr(runtime, "of ", "two")', False),
        (r'getattr(runtime, "a\n")', False),
        (r'getattr(other, "get\x5fargs")', False),
        (r'print(runtime, "get\x5fargs")', False),
        ('getattr(runtime, "lines " "of text")', False),
    ],
)
def test_a_name_in_pieces_is_looked_for_where_its_module_is_named(code: str, hit: bool) -> None:
    assert Prefilter.of(["get_args"], ["runtime"]).hits(code.encode()) == hit


@pytest.mark.parametrize(
    ("code", "hit"),
    [
        ("x = get_spec().steps", True),
        ("import m\nm.get_spec", True),
        ("getattr(m, 'get_spec')", True),
        ("x: '\\nget_spec()'", True),
        ("# é get_spec", True),
        ("get_specs(x), my_get_spec, get_spec_of", False),
        ("ｇet_spec()", True),
        ("ｇet_specs()", True),
        ("x = 'é' + get_specs()", False),
    ],
)
def test_a_whole_word_is_no_part_of_another(code: str, hit: bool) -> None:
    assert Prefilter.of([], whole=["get_spec"]).hits(code.encode()) == hit


def test_words_that_hold_one_another_are_searched_once() -> None:
    found = Prefilter.of(["get_server_args", "server_args", "", "ServerArgs", "server_args"])
    assert found == Prefilter(("ServerArgs", "server_args"), (b"ServerArgs", b"server_args"))


def test_a_foreign_word_makes_foreign_text_be_parsed() -> None:
    found = Prefilter.of(["größe"])
    assert found.hits("x = gro\u0308\u00dfe\n".encode())
    assert found.hits("# 数\n".encode())
    assert not found.hits(b"x = grosse\n")


@given(st.lists(st.sampled_from(["s", "ſ", "ｓ", "ˢ", "e", "é", "ª", "º", "ﬁ", " ", "#", "\n"]), max_size=9))
def test_no_parser_finds_more_than_the_bytes(letters: list[str]) -> None:
    text = "".join(letters)
    data = text.encode()
    try:
        names = {node.id for node in ast.walk(ast.parse(data)) if isinstance(node, ast.Name)}
    except SyntaxError:
        return
    for word in ("se", "fi", "ao"):
        assert Prefilter.of([word]).hits(data) or not any(word in name for name in names)
        assert Prefilter.of([], whole=[word]).hits(data) or word not in names


@pytest.mark.parametrize(
    ("data", "blob"),
    [
        pytest.param(b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", id="empty"),
        pytest.param(b"hello\n", "ce013625030ba8dba906f756967f9e9ca394464a", id="text"),
    ],
)
def test_blob_id_is_git_s(data: bytes, blob: str) -> None:
    assert blob_id(data) == blob
