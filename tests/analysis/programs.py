"""Generates small programs out of the ways in which a name comes to stand for the record and is used.

Every use has a field of its own (`f7`; `d7` where the name is computed), so that what happened when the
program ran can be told from what the analysis saw. A program defines `main(server_args)`; it takes its
branches by `flip()`, and uses stand inside `with guard`, because a name may be None. Where the record leaves,
`leak()` gives back another one, so that what happens out of sight is told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tests.analysis.forms import ELSE, ESCAPES, HEAD, IMPORTS, POOL, READS, REBINDS, STORES

T = TypeVar("T")
Draw = Callable[[int], int]
"""Takes n to a choice of 0 to n - 1."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What code at this place may name: `own` names it may bind, `walrus` those that `:=` may bind."""

    own: tuple[str, ...]
    walrus: tuple[str, ...]
    outer: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    function: bool = True
    loop: bool = False
    depth: int = 0


@dataclass(slots=True)
class Writer:
    """Writes one program. `sources` are expressions that give the record; `escapes` allows untracked ways."""

    draw: Draw
    sources: tuple[str, ...]
    escapes: bool = False
    reads: tuple[str, ...] = READS
    budget: int = 14
    count: int = 0
    indent: str = ""
    lines: list[str] = field(default_factory=list)

    def pick(self, options: Sequence[T]) -> T:
        return options[self.draw(len(options))]

    def line(self, text: str) -> None:
        self.lines += [self.indent + part for part in text.split("\n")]

    def new(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    @contextmanager
    def under(self, header: str) -> Iterator[None]:
        self.line(header)
        before, self.indent = self.indent, self.indent + "    "
        yield
        self.indent = before

    # Expressions

    def record(self, scope: Scope, depth: int = 2) -> str:
        """An expression that may give the record."""
        plain = (*POOL, *POOL, *self.sources, *self.sources, *scope.extra, *scope.extra, *ELSE)
        if not depth or self.draw(3):
            return self.pick(plain)
        forms = ["({a} if flip() else {b})", "({a} or {b})", "cast('T', {a})", "copy.copy({a})"]
        forms += ["({n} := {a})"] * 2 if scope.walrus else []
        forms += ESCAPES if self.escapes else []
        form, name = self.pick(forms), self.pick(scope.walrus or ("",))
        return form.format(e=(a := self.record(scope, depth - 1)), a=a, b=self.pick(plain), n=name)

    def start(self) -> str:
        """An expression without names, for the first binding of a name."""
        return self.pick((*self.sources, *self.sources, *ELSE))

    def read(self, scope: Scope, expression: str | None = None) -> str:
        """An expression that uses the record."""
        return self.use(self.pick(self.reads), expression or self.record(scope))

    def use(self, form: str, expression: str) -> str:
        self.count += 1
        whole = (
            expression if expression.replace(".", "").removesuffix("()").isidentifier() else f"({expression})"
        )
        return form.format(e=whole, f=f"f{self.count}", d=f"d{self.count}")

    # Statements

    def block(self, scope: Scope, size: int = 2) -> None:
        for _ in range(1 + self.draw(size)):
            self.statement(scope)

    def statement(self, scope: Scope) -> None:
        self.budget -= 1
        simple = [self.store, self.store, self.expression]
        if scope.own:
            simple += [self.bind, self.bind, self.bind]
        if self.budget < 0 or scope.depth > 3:
            return self.pick(simple)(scope)
        nested = [self.condition, self.loop, self.attempt, self.guarded, self.choose]
        nested += [self.comprehension, self.define, self.define, self.helper, self.klass]
        self.pick([*simple, *simple, *nested])(scope)

    def store(self, scope: Scope) -> None:
        with self.under("with guard:"):
            self.line(self.use(self.pick(STORES), self.record(scope)))

    def expression(self, scope: Scope) -> None:
        with self.under("with guard:"):
            self.line(self.read(scope))

    def bind(self, scope: Scope) -> None:
        n, m = self.pick(scope.own), self.pick(scope.own)
        forms = ["{n} = {a}"] * 4 + ["{n} = {m} = {a}", "z: object = {a}\n{n} = z", "[{n}, z] = [{a}, 1]"]
        forms += ["del {n}\n{n} = {c}", "{n}, z = {a}, {b}", "z, ({n}, y) = 1, ({a}, 2)"]
        forms += ["{n}, {m} = {m}, {n}"] if n != m else []
        if self.escapes:
            forms += ["with nullcontext(leak({a})) as {n}: pass", "*{n}, z = {a}, 1\n{n} = leak({n})"]
        form = self.pick(forms)
        self.line(form.format(n=n, m=m, a=self.record(scope), b=self.record(scope), c=self.start()))

    def inner(self, scope: Scope, size: int = 2) -> None:
        self.block(replace(scope, depth=scope.depth + 1), size)

    def condition(self, scope: Scope) -> None:
        with self.under(self.pick(("if flip():", f"if {self.read(scope, 'a')} if a else flip():"))):
            self.inner(scope)
            self.leave(scope)
        if self.draw(2):
            with self.under("else:"):
                self.inner(scope)

    def leave(self, scope: Scope) -> None:
        ways = ["pass"] * 3
        ways += ["return"] if scope.function else []
        ways += ["break", "continue"] if scope.loop else []
        self.line(self.pick(ways))

    def loop(self, scope: Scope) -> None:
        headers = ["while flip():", "for z in (1, 2, 3):"]
        if scope.own:
            name = self.pick(scope.own)
            headers += [f"for {name} in [{self.record(scope)}, {self.record(scope)}]:"] * 2
            headers += [f"for {name} in ({self.record(scope)},):"]
        with self.under(self.pick(headers)):
            self.inner(replace(scope, loop=True), 3)
            if self.draw(2):
                self.condition(replace(scope, loop=True, depth=scope.depth + 1))
        if not self.draw(3):
            with self.under("else:"):
                self.inner(scope)

    def attempt(self, scope: Scope) -> None:
        with self.under("try:"):
            self.inner(scope)
            self.line("boom()")
            self.inner(scope, 1)
        with self.under("except ValueError:"):
            self.inner(scope)
            self.leave(scope)
        if not self.draw(2):
            with self.under("else:"):
                self.inner(scope)
        if not self.draw(2):
            with self.under("finally:"):
                self.inner(replace(scope, function=False, loop=False))

    def guarded(self, scope: Scope) -> None:
        with self.under("with guard:"):
            self.inner(scope)
            self.line("boom()")
            self.inner(scope)

    def choose(self, scope: Scope) -> None:
        with self.under(f"match {self.record(scope)}:"):
            with self.under(
                self.pick(("case None:", "case 1 | 2:", self.use("case ServerArgs({f}=_):", "")))
            ):
                self.inner(scope)
            with self.under(f"case {self.pick((*scope.own, '_'))}:"):
                self.inner(scope)

    def comprehension(self, scope: Scope) -> None:
        target = self.pick(POOL)
        walrus = tuple(name for name in scope.walrus if name != target) if scope.function else ()
        inside, first = replace(scope, walrus=walrus), replace(scope, walrus=())
        forms = (
            "[{u} for {n} in [{a}]]",
            "[{u} for {n} in [{a}, {b}] if {v}]",
            "{{1: {u} for {n} in ({a},)}}",
            "[[{u} for {n} in [{a}]] for z in (1, 2) if {v}]",
            "list({u} for z in (1, 2))",
        )
        text = self.pick(forms).format(
            u=self.read(inside),
            v=self.read(inside),
            n=target,
            a=self.record(first),
            b=self.record(first),
        )
        with self.under("with guard:"):
            self.line(text)

    # Definitions

    def define(self, scope: Scope) -> None:
        """A nested function, and a call of it now or a statement later."""
        name = self.new("g")
        kind, call = self.pick((("def", "{}"), ("def", "{}"), ("async def", "{}.send(None)")))
        passed = self.function(scope, kind, name, ())
        if self.draw(2):
            self.statement(scope)
        with self.under("with guard:"):
            self.line(call.format(f"{name}({passed})"))

    def function(self, scope: Scope, kind: str, name: str, first: tuple[str, ...]) -> str:
        """A function over the names of the pool; what to pass for its parameters."""
        roles = {
            n: self.pick(("own", "own", "free", "free", "free", "outer", "global", "parameter")) for n in POOL
        }
        if "server_args" in first:
            roles["server_args"] = "parameter"
        outer = [n for n in POOL if roles[n] == "outer" and n in scope.outer]
        own = [n for n in POOL if roles[n] == "own"]
        parameters = [n for n in POOL if roles[n] == "parameter"]
        shared = [n for n in POOL if roles[n] == "global"]
        bound = (*own, *outer, *parameters, *shared)
        reach = (*(n for n in scope.outer if n not in shared), *own, *parameters)
        inside = Scope(bound, bound, reach, scope.extra, scope.classes, depth=scope.depth + 1)
        rest = [n for n in parameters if n not in first]
        with self.under(f"{kind} {name}({', '.join((*first, *rest))}):"):
            for word, names in (("nonlocal", outer), ("global", shared)):
                if names:
                    self.line(f"{word} {', '.join(names)}")
            for n in own:
                self.line(f"{n} = {self.start()}")
            self.block(inside, 3)
        return ", ".join("Foo()" for _ in rest)

    def helper(self, scope: Scope) -> None:
        """A function that returns the record, and a use of its result."""
        name = self.new("h")
        with self.under(f"def {name}():"):
            inside = replace(scope, own=(), walrus=())
            if not self.draw(2):
                with self.under("if flip():"):
                    self.line(f"return {self.record(inside)}")
            self.line(f"return {self.record(inside)}")
        with self.under("with guard:"):
            self.line(self.read(scope, f"{name}()"))

    def klass(self, scope: Scope) -> None:
        """A class that parks what it is given, with a property; an object of it is used."""
        name, attribute = self.new("K"), self.new("k")
        base = self.pick((*scope.classes, "object"))
        extra = tuple(part for part in scope.extra if not part.startswith("self."))
        ways = ("self.p", "self.q", "self.t()", f"self.{attribute}", f"{name}.{attribute}")
        body = replace(
            scope, own=("a", "b"), walrus=(), outer=scope.outer, extra=extra, function=False, loop=False
        )
        method = replace(body, own=(), extra=(*extra, *ways), depth=scope.depth + 1)
        with self.under(f"class {name}({base}):"):
            self.line(f"{attribute} = {self.record(replace(body, extra=extra))}")
            if not self.draw(3):
                self.line(f"a = {self.start()}")
                self.inner(body)
            with self.under("def __init__(self):"):
                self.line(f"self.p = self.r = {self.start()}")
                self.line(f"self.p = {self.record(replace(method, extra=(*extra, 'self.r')))}")
            with self.under("@property\ndef q(self):"):
                self.line(f"return {self.pick(('self.p', 'self.r', *self.sources))}")
            with self.under("def t(self):"):
                self.line(f"return {self.pick(('self.p', 'self.r', *self.sources))}")
            self.function(method, "def", "m", ("self",))
        thing = self.new("o")
        self.line(f"{thing} = {name}()")
        with self.under("with guard:"):
            self.line(f"{thing}.m({', '.join(['Foo()'] * self.parameters(name))})")
        with self.under("with guard:"):
            self.line(self.read(scope, self.pick((f"{thing}.p", f"{name}.{attribute}", f"{thing}.q"))))

    def parameters(self, name: str) -> int:
        """How many parameters beside self the method of a class takes."""
        text = "\n".join(self.lines)
        return text[text.rindex("def m(self") :].split(")")[0].count(",")


def program(draw: Draw, *, escapes: bool = False) -> str:
    """A program whose names come and go as records, None, and other things."""
    imports = [IMPORTS[draw(len(IMPORTS))] for _ in range(1 + draw(2))]
    writer = Writer(draw, tuple(source for _, source in imports), escapes)
    writer.line(
        HEAD + "from sglang.srt.server_args import ServerArgs\n" + "\n".join(text for text, _ in imports)
    )
    for name in POOL:
        writer.line(f"{name} = {writer.start()}")
    module = Scope(POOL, POOL, function=False)
    if draw(2):
        writer.block(module)
    with writer.under("def main(server_args):"):
        own = ("server_args", *POOL[: draw(len(POOL))])
        for name in own[1:]:
            writer.line(f"{name} = {writer.start()}")
        writer.block(Scope(own, own, own), 4)
        writer.expression(Scope(own, own, own))
    return "\n".join(writer.lines) + "\n"


def rebound_program(draw: Draw) -> str:
    """A program whose names were all records once, and are none any more where they are used."""
    # A lambda sees all that its names are ever bound to.
    writer = Writer(draw, ("Foo()",), reads=tuple(form for form in READS if "lambda" not in form))
    writer.line(HEAD + IMPORTS[0][0])
    with writer.under("def main(given):"):
        for name in POOL:
            writer.line(f"{name} = get_server_args()")
        for name in POOL:
            writer.line(writer.pick(REBINDS).format(n=name))
        for _ in range(3):
            writer.pick([writer.store, writer.expression, writer.bind, writer.condition, writer.loop])(
                Scope(POOL, POOL, (), depth=3)
            )
    return "\n".join(writer.lines) + "\n"
