"""Reads: which move to a namespace and how they are spelled there, and which stay for what reason."""

from __future__ import annotations

import pytest

from ratchet.codemod.sites import Selection
from tests.codemod.plan.shop import code, decided, plan, told

GET = "get_settings().timeout"
NET = "get_net().timeout"

MOVES = {
    "accessor": ("def f():\n    return get_settings().timeout", [f"{GET} -> {NET}"]),
    "renamed accessor": (
        "from shop.context import get_settings as gs\ndef f():\n    return gs().timeout",
        [f"gs().timeout -> {NET}"],
    ),
    "module-qualified": (
        "import shop.context\ndef f():\n    return shop.context.get_settings().timeout",
        [f"shop.context.get_settings().timeout -> {NET}"],
    ),
    "slot of the context": (
        "def f():\n    return get_context().settings.timeout",
        [f"get_context().settings.timeout -> {NET}"],
    ),
    "alias": ("def f():\n    s = get_settings()\n    return s.timeout", [f"s.timeout -> {NET}"]),
    "alias of an alias": (
        "def f():\n    s = get_settings()\n    t = s\n    return t.timeout",
        [f"t.timeout -> {NET}"],
    ),
    "module alias": ("s = get_settings()\ndef f():\n    return s.timeout", [f"s.timeout -> {NET}"]),
    "walrus": (
        "def f():\n    return (s := get_settings()).timeout + s.retries",
        [f"(s := get_settings()).timeout -> {NET}", "s.retries -> get_net().retries"],
    ),
    "helper": (
        "def h():\n    return get_settings()\ndef f():\n    return h().timeout",
        [f"h().timeout -> {NET}"],
    ),
    "parked global": (
        "class A:\n    def __init__(self):\n        self._s = get_settings()\n"
        "    def f(self):\n        return self._s.timeout",
        [f"self._s.timeout -> {NET}"],
    ),
    "self": (
        "class A:\n    def __init__(self, settings):\n        self.settings = settings\n"
        "    def f(self):\n        return self.settings.timeout",
        [f"self.settings.timeout -> {NET}"],
    ),
    "alias of self": (
        "class A:\n    def f(self):\n        s = self.settings\n        return s.timeout",
        [f"s.timeout -> {NET}"],
    ),
    "literal getattr": (
        "def f():\n    return getattr(get_settings(), 'timeout')",
        [f"getattr(get_settings(), 'timeout') -> {NET}"],
    ),
    "getattr with a default": (
        "def f():\n    return getattr(get_settings(), 'timeout', 1)",
        [f"getattr(get_settings(), 'timeout', 1) -> {NET}"],
    ),
    "hasattr": (
        "def f():\n    return hasattr(get_settings(), 'timeout')",
        ["hasattr(get_settings(), 'timeout') -> hasattr(get_net(), 'timeout')"],
    ),
    "vars": (
        "def f():\n    return vars(get_settings())['timeout']",
        [f"vars(get_settings())['timeout'] -> {NET}"],
    ),
    "f-string": ("def f():\n    return f'{get_settings().timeout} s'", [f"{GET} -> {NET}"]),
    "f-string that prints its code": (
        "def f():\n    return f'{get_settings().timeout = }'",
        [f"{GET} -> {NET}"],
    ),
    "comprehension": (
        "def f():\n    return [get_settings().timeout for _ in range(3)]",
        [f"{GET} -> {NET}"],
    ),
    "lambda at module level": ("f = lambda: get_settings().timeout", [f"{GET} -> {NET}"]),
    "nested function": (
        "def f():\n    def g():\n        return get_settings().timeout\n    return g",
        [f"{GET} -> {NET}"],
    ),
    "default of a nested function": (
        "def f():\n    def g(t=get_settings().timeout):\n        return t\n    return g",
        [f"{GET} -> {NET}"],
    ),
    "class in a function": (
        "def f():\n    class A:\n        t = get_settings().timeout\n    return A",
        [f"{GET} -> {NET}"],
    ),
    "call of what the field holds": (
        "def f():\n    return get_settings().theme()",
        ["get_settings().theme -> get_ui().theme"],
    ),
    "async": ("async def f():\n    return get_settings().timeout", [f"{GET} -> {NET}"]),
    "several lines": (
        "def f():\n    return (\n        get_settings()\n        .timeout\n    )",
        [f"{GET} -> {NET}"],
    ),
    "group of a namespace": (
        "def f():\n    return get_settings().accent",
        ["get_settings().accent -> get_ui().colors.accent"],
    ),
    "caught together with the accessor": (
        "def f():\n    try:\n        s = get_settings()\n    except ValueError:\n        return 1\n"
        "    return s.timeout",
        [f"s.timeout -> {NET}"],
    ),
    "function that others call later": (
        "def f():\n    return get_settings().timeout\nCALLBACKS = [f]",
        [f"{GET} -> {NET}"],
    ),
}

STAYS = {
    "live name": ("def f():\n    return get_settings().port", ["get_settings().port: live-shadowed"]),
    "live name by getattr": (
        "def f():\n    return getattr(get_settings(), 'port', 1)",
        ["getattr(get_settings(), 'port', 1): live-shadowed"],
    ),
    "method": ("def f():\n    return get_settings().shown()", ["get_settings().shown(): not-a-field"]),
    "property": ("def f():\n    return get_settings().is_open", ["get_settings().is_open: not-a-field"]),
    "private attribute": ("def f():\n    return get_settings()._raw", ["get_settings()._raw: not-a-field"]),
    "no namespace": ("def f():\n    return get_settings().region", ["get_settings().region: no-namespace"]),
    "namespace without accessor": (
        "def f():\n    return get_settings().motto",
        ["get_settings().motto: no-namespace"],
    ),
    "field of each worker": ("def f():\n    return get_settings().locale", ["get_settings().locale: fork"]),
    "copy": (
        "import copy\ndef f():\n    s = copy.copy(get_settings())\n    return s.timeout",
        ["s.timeout: fork"],
    ),
    "constructed": (
        "from shop.settings import Settings\ndef f():\n    return Settings().timeout",
        ["Settings().timeout: unpublished-process"],
    ),
    "module level": ("LIMIT = get_settings().timeout", [f"{GET}: import-time"]),
    "module level, in a branch": ("if get_settings().timeout:\n    pass", [f"{GET}: import-time"]),
    "comprehension at module level": (
        "LIMITS = [get_settings().timeout for _ in range(3)]",
        [f"{GET}: import-time"],
    ),
    "class body": ("class A:\n    t = get_settings().timeout", [f"{GET}: import-time"]),
    "default": ("def f(t=get_settings().timeout):\n    return t", [f"{GET}: import-time"]),
    "default of a method": (
        "class A:\n    def f(self, t=get_settings().timeout):\n        return t",
        [f"{GET}: import-time"],
    ),
    "default of a lambda": ("f = lambda t=get_settings().timeout: t", [f"{GET}: import-time"]),
    "decorator": ("@wait(get_settings().timeout)\ndef f():\n    pass", [f"{GET}: import-time"]),
    "function that the module calls": (
        "def f():\n    return get_settings().timeout\nLIMIT = f()",
        [f"{GET}: import-time"],
    ),
    "script": (
        "if __name__ == '__main__':\n    print(get_settings().timeout)",
        [f"{GET}: unpublished-process"],
    ),
    "parameter": ("def f(settings):\n    return settings.timeout", ["settings.timeout: handed-parameter"]),
    "alias of a parameter": (
        "def f(settings):\n    s = settings\n    return s.timeout",
        ["s.timeout: handed-parameter"],
    ),
    "parameter seen from a closure": (
        "def f(settings):\n    def g():\n        return settings.timeout\n    return g",
        ["settings.timeout: handed-parameter"],
    ),
    "chain": ("def f(worker):\n    return worker.settings.timeout", ["worker.settings.timeout: borrowed"]),
    "chain off self": (
        "class A:\n    def f(self):\n        return self.worker.settings.timeout",
        ["self.worker.settings.timeout: borrowed"],
    ),
    "alias of a chain": (
        "def f(worker):\n    s = worker.settings\n    return s.timeout",
        ["s.timeout: borrowed"],
    ),
    "parked under another name": (
        "class A:\n    def __init__(self, settings):\n        self.options = settings\n"
        "    def f(self):\n        return self.options.timeout",
        ["self.options.timeout: parked-under-other-name"],
    ),
    "parked under a name like the record's": (
        "class A:\n    def __init__(self, settings):\n        self._settings = settings\n"
        "    def f(self):\n        return self._settings.timeout",
        ["self._settings.timeout: parked-under-other-name"],
    ),
    "optional injection": (
        "def f(settings=None):\n    if settings is None:\n        settings = get_settings()\n"
        "    return settings.timeout",
        ["settings.timeout: optional-injection"],
    ),
    "injection by or": (
        "def f(settings=None):\n    settings = settings or get_settings()\n    return settings.timeout",
        ["settings.timeout: optional-injection"],
    ),
    "record of nobody knows where": (
        "def f(store):\n    settings = store.load()\n    return settings.timeout",
        ["settings.timeout: mixed-origin"],
    ),
    "computed name": (
        "def f(name):\n    return getattr(get_settings(), name)",
        ["getattr(get_settings(), name): computed-name"],
    ),
    "one of several names": (
        "def f():\n    return [getattr(get_settings(), n) for n in ('timeout', 'retries')]",
        ["getattr(get_settings(), n): computed-name", "getattr(get_settings(), n): computed-name"],
    ),
    "named by a constant": (
        "NAME = 'timeout'\ndef f():\n    return getattr(get_settings(), NAME)",
        ["getattr(get_settings(), NAME): computed-name"],
    ),
    "class pattern": (
        "from shop.settings import Settings\ndef f():\n    match get_settings():\n"
        "        case Settings(timeout=t):\n            return t",
        ["Settings(timeout): unsupported-form"],
    ),
    "default where nothing is published": (
        "def f():\n    try:\n        s = get_settings()\n    except ValueError:\n        s = None\n"
        "    return getattr(s, 'timeout', 1)",
        ["getattr(s, 'timeout', 1): unpublished-process"],
    ),
    "look-alike class": (
        "from vendor.settings import Settings\nclass A:\n    def f(self):\n"
        "        return self.settings.timeout",
        ["self.settings.timeout: other-class"],
    ),
}

IGNORES = {
    "namespace": "from shop.context import get_net\ndef f():\n    return get_net().timeout",
    "record handed on": "def f(g):\n    return g(get_settings())",
    "bag of another class": "def f(options):\n    return options.timeout",
    "annotation of another class": "def f(settings: Other):\n    return settings.timeout",
    "record as a truth value": "def f():\n    return bool(get_settings() is None)",
}


@pytest.mark.parametrize(("text", "expected"), MOVES.values(), ids=MOVES)
def test_moves(text: str, expected: list[str]) -> None:
    assert decided(text) == expected


@pytest.mark.parametrize(("text", "expected"), STAYS.values(), ids=STAYS)
def test_stays(text: str, expected: list[str]) -> None:
    assert decided(text) == expected


@pytest.mark.parametrize("text", IGNORES.values(), ids=IGNORES)
def test_is_no_site(text: str) -> None:
    assert [line for line in decided(text) if "timeout" in line] == []


PASSED_ON = {
    "by a module": (
        {"shop/crew.py": "from shop.settings import Settings"},
        f"self.settings.timeout -> {NET}",
    ),
    "by two": (
        {
            "shop/crew.py": "from .staff import Settings",
            "shop/staff.py": "from shop.settings import Settings",
        },
        f"self.settings.timeout -> {NET}",
    ),
    "of another package": (
        {"shop/crew.py": "from vendor.settings import Settings"},
        "self.settings.timeout: other-class",
    ),
    "of nobody": ({"shop/crew.py": "class Settings: pass"}, "self.settings.timeout: other-class"),
}


@pytest.mark.parametrize(("others", "expected"), PASSED_ON.values(), ids=PASSED_ON)
def test_a_class_that_another_module_passes_on(others: dict[str, str], expected: str) -> None:
    text = "class A:\n    def f(self):\n        return self.settings.timeout"
    files = {path.removeprefix("shop/"): text + "\nsettings = 1\n" for path, text in others.items()}
    files["example.py"] = f"from shop.crew import Settings\n{code(text)}"
    assert [line for line in told(plan(files)) if "timeout" in line] == [expected]


HERE = "def f():\n    return get_settings().timeout"
PLACES = {
    "a boundary": ("engines/one.py", None, [f"{GET}: boundary"]),
    "a file of a boundary's name elsewhere": ("shelves/engines.py", None, [f"{GET} -> {NET}"]),
    "an unpublished process": ("tools/one.py", None, [f"{GET}: unpublished-process"]),
    "the pipeline": ("pipeline/one.py", None, []),
    "a boundary of that version": ("later.py", "1.4", [f"{GET}: boundary"]),
    "a boundary of another version": ("later.py", "2.0", [f"{GET} -> {NET}"]),
}


@pytest.mark.parametrize(("path", "engine", "expected"), PLACES.values(), ids=PLACES)
def test_places(path: str, engine: str | None, expected: list[str]) -> None:
    assert decided(HERE, path=path, engine=engine) == expected


def test_a_boundary_of_a_scope() -> None:
    text = (
        "class Engine:\n    def start(self):\n        return get_settings().timeout\n"
        "    def stop(self):\n        return get_settings().timeout"
    )
    assert decided(text, path="mixed.py") == [f"{GET}: boundary", f"{GET} -> {NET}"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        pytest.param("# @generated by tables.py\n", f"{GET}: generated-file", id="marked"),
        pytest.param("# Code generated by protoc. DO NOT EDIT.\n", f"{GET}: generated-file", id="protoc"),
        pytest.param('"""Tables.\n\nDo not edit: run make."""\n', f"{GET}: generated-file", id="stamped"),
        pytest.param('"""Tokens are generated by a model."""\n', f"{GET} -> {NET}", id="docstring"),
        pytest.param("# What users say\n", f"{GET} -> {NET}", id="other-comment"),
    ],
)
def test_generated_files(head: str, expected: str) -> None:
    assert told(plan({"example.py": head + code(HERE)})) == [expected]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("vendor/example.py", f"{GET}: generated-file"),
        ("shelf/_vendor/deep/example.py", f"{GET}: generated-file"),
        ("third_party/example.py", f"{GET}: generated-file"),
        ("vendors/example.py", f"{GET} -> {NET}"),
        ("shelf/vendor.py", f"{GET} -> {NET}"),
    ],
)
def test_vendored_files(path: str, expected: str) -> None:
    assert told(plan({path: code(HERE)})) == [expected]


PARAMETER = "def f(settings):\n    return settings.timeout + settings.port"
CHAIN = "def f(worker):\n    return worker.settings.timeout"


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        pytest.param(
            PARAMETER,
            "parameters",
            ["settings.timeout: handed-parameter", "settings.port: live-shadowed"],
            id="parameters-of-a-function-that-stays",
        ),
        pytest.param(
            PARAMETER.replace("settings.port", "1"),
            "parameters",
            [f"settings.timeout -> {NET}"],
            id="parameters",
        ),
        pytest.param(
            PARAMETER,
            "chains",
            ["settings.timeout: handed-parameter", "settings.port: live-shadowed"],
            id="not-asked",
        ),
        pytest.param(CHAIN, "chains", [f"worker.settings.timeout -> {NET}"], id="chains"),
        pytest.param(CHAIN, "parameters", ["worker.settings.timeout: borrowed"], id="chains-not-asked"),
        pytest.param(CHAIN, "writes", ["worker.settings.timeout: borrowed"], id="no-write-to-go-with"),
    ],
)
def test_moves_on_request(text: str, asked: str, expected: list[str]) -> None:
    assert decided(text, asked) == expected


PLAIN = "def f(settings):\n    return settings.timeout"
METHOD = "class A:\n    @classmethod\n    def make(cls, settings):\n        return cls(settings.timeout)"
MADE = "class A:\n    def __init__(self, settings):\n        self.wait = settings.timeout"
CALLERS = {
    "the pipeline": (PLAIN, "pipeline/one.py", "from shop.lib.wait import f\nf(self)", "handed-parameter"),
    "the pipeline, in a function": (
        PLAIN,
        "pipeline/one.py",
        "def g(self):\n    from shop.lib import wait\n    wait.f(settings=self)",
        "handed-parameter",
    ),
    "what a package passes on": (
        PLAIN,
        "pipeline/one.py",
        "from shop.lib import f\nf(self)",
        "handed-parameter",
    ),
    "a method": (METHOD, "pipeline/one.py", "from shop.lib.wait import A\nA.make(self)", "handed-parameter"),
    "a constructor": (MADE, "pipeline/one.py", "from shop.lib.wait import A\nA(self)", "handed-parameter"),
    "another function of the name": (PLAIN, "pipeline/one.py", "from shop.other import f\nf(self)", NET),
    "a name in a text": (PLAIN, "pipeline/one.py", "from shop.lib.wait import f\nx = 'f(self)'", NET),
    "any other code": (PLAIN, "lib/other.py", "from shop.lib.wait import f\nf(self)", NET),
}


@pytest.mark.parametrize(("text", "path", "caller", "expected"), CALLERS.values(), ids=CALLERS)
def test_functions_that_code_outside_hands_its_record(
    text: str, path: str, caller: str, expected: str
) -> None:
    made = plan({"lib/wait.py": code(text), path: caller}, Selection(parameters=True))
    assert [line.rpartition(" ")[2] for line in told(made)] == [expected]


def test_the_call_that_keeps_a_function_is_the_evidence() -> None:
    caller = "from shop.lib.wait import f\n\ndef g(self):\n    f(self)"
    made = plan({"lib/wait.py": code(PLAIN), "pipeline/one.py": caller}, Selection(parameters=True))
    assert [skip.detail for skip in made.skips] == ["pipeline/one.py:4 calls f: it makes the values"]


def test_a_record_that_another_file_parks() -> None:
    base = "class Base:\n    def __init__(self):\n        self.kept = get_settings()"
    below = (
        "from shop.base import Base\nclass Below(Base):\n    def f(self):\n        return self.kept.timeout"
    )
    assert told(plan({"base.py": code(base), "below.py": code(below)})) == [f"self.kept.timeout -> {NET}"]


def test_an_accessor_yields_the_record_whatever_its_body_returns() -> None:
    home = "class Context:\n    def __init__(self, settings):\n        self.settings = settings\n\n"
    home += "_CONTEXT = Context(None)\n\ndef get_settings():\n    return _CONTEXT.settings\n"
    assert told(plan({"context.py": home, "example.py": code(HERE)})) == [f"{GET} -> {NET}"]


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(" + 1" * 1_000, id="long-sum"),
        pytest.param(" + " + "(" * 80 + "1" + ")" * 80, id="nested"),
        pytest.param(" + len('\\d')", id="what-the-parser-warns-of"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_demanding_code(rest: str) -> None:
    assert decided(f"def f():\n    return get_settings().timeout{rest}") == [f"{GET} -> {NET}"]
