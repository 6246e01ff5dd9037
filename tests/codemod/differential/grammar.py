"""Generates small engines: modules whose functions and classes come by the record in many ways and use it.

What a program notes goes by value only, never by which store it lies on. Two things are left out, which the
migration takes for granted: that an object which keeps a copy of the record does not outlive a write of the
process's record, and that where the record escapes beside writes nobody reads a written field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tests.codemod.differential.forms import (
    BINDINGS,
    COLLISIONS,
    ESCAPES,
    EXPRESSIONS,
    HEADERS,
    LOCAL_IMPORTS,
    MEMBERS,
    STORES,
    TEXTS,
    VALUES,
)
from tests.codemod.differential.running import FIELDS, PACKAGE, Program

T = TypeVar("T")
Draw = Callable[[int], int]
"""Takes n to a choice of 0 to n - 1."""

NAMES = ("sa", "args", "record", "server_args")
TRACE = f"from {PACKAGE}.trace import Error, attempt, note"


@dataclass(frozen=True, slots=True)
class Scope:
    """What the code at a place may name: expressions of the record, and whether it may bind names."""

    records: tuple[str, ...]
    copies: tuple[str, ...] = ()
    depth: int = 0
    writes: bool = True


@dataclass(slots=True)
class Writer:
    """Writes one module of a program. Without `writes` nothing changes the process's record."""

    draw: Draw
    writes: bool
    drafts: bool
    helpers: tuple[str, ...] = ()
    budget: int = 8
    count: int = 0
    indent: str = ""
    lines: list[str] = field(default_factory=list)

    def pick(self, options: Sequence[T]) -> T:
        return options[self.draw(len(options))]

    def line(self, text: str) -> None:
        self.lines += [self.indent + part if part else part for part in text.split("\n")]

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

    def name(self) -> str:
        return self.pick([*FIELDS])

    def read(self, scope: Scope) -> str:
        """An expression that reads a field."""
        if scope.copies and not self.draw(5):
            return f"{self.pick(scope.copies)}.{self.name()}"
        forms = EXPRESSIONS if self.writes else (*EXPRESSIONS, *ESCAPES)
        form = self.pick(forms) if not self.draw(2) else "{r}.{f}"
        return form.format(
            r=self.pick(scope.records),
            s=self.pick(scope.records),
            f=self.name(),
            g=self.name(),
            n=self.new("v"),
        )

    def text(self, scope: Scope) -> str:
        return self.pick(TEXTS).format(a=self.read(scope), b=self.read(scope), n=self.new("w"))

    def value(self, scope: Scope) -> str:
        form = self.pick(VALUES) if self.helpers or "{h}" not in VALUES[-1] else "4"
        helper = self.pick(self.helpers or ("abs",))
        return form.format(a=self.read(scope), h=helper, r=self.pick(scope.records), d=self.draw(9))

    # Statements

    def block(self, scope: Scope, statements: int) -> None:
        start = len(self.lines)
        for _ in range(statements):
            scope = self.statement(scope)
        if len(self.lines) == start:
            self.line("pass")

    def statement(self, scope: Scope) -> Scope:
        """One statement; the scope of what follows."""
        self.budget -= 1
        kinds: list[Callable[[Scope], Scope | None]] = [self.noted, self.noted, self.noted, self.bound]
        kinds += [self.collided, self.called, self.copied]
        if self.writes and scope.writes:
            kinds += [self.stored, self.stored, self.stored]
        if self.budget > 0 and scope.depth < 3:
            kinds += [self.nested, self.nested]
        return self.pick(kinds)(scope) or scope

    def noted(self, scope: Scope) -> None:
        parts = [self.pick((self.read, self.text))(scope) for _ in range(1 + self.draw(2))]
        self.line(f'note("{self.new("n")}", {", ".join(parts)})')

    def bound(self, scope: Scope) -> Scope:
        name = self.pick(NAMES)
        self.line(
            self.pick(BINDINGS).format(
                n=name, r=self.pick(scope.records), s=self.pick(scope.records), f=self.name()
            )
        )
        # A name that stood for a copy stands for the record now, and the other way round.
        return replace(
            scope,
            records=(*(one for one in scope.records if one != name), name, name),
            copies=tuple(one for one in scope.copies if one != name),
        )

    def copied(self, scope: Scope) -> Scope:
        name, taken = self.pick(("draft", "twin")), self.pick(scope.records)
        form = self.pick(
            (
                "{n} = copy.copy({r})",
                "{n} = copy.deepcopy({r})",
                "{n} = dataclasses.replace({r}, {f}={v})",
                "{n} = copy.copy({r})\n{n}.{f} = {v}",
                '{n} = copy.copy({r})\n{n}.override("draft", {f}={v})',
            )
        )
        self.line(form.format(n=name, r=taken, f=self.name(), v=self.draw(9)))
        return replace(scope, copies=(*scope.copies, name))

    def stored(self, scope: Scope) -> None:
        for _ in range(1 + self.draw(3)):
            self.line(
                self.pick(STORES).format(
                    r=self.pick(scope.records),
                    s=self.pick(scope.records),
                    f=(first := self.name()),
                    g=self.pick([name for name in FIELDS if name != first]),
                    v=self.value(scope),
                    w=self.value(scope),
                    n=self.new("x"),
                )
            )

    def collided(self, scope: Scope) -> None:
        """A name of the scope that the namespaces' accessors have, in one of the ways to bind one."""
        if self.draw(3):
            return self.noted(scope)
        # What the program itself comes by the record with keeps its meaning.
        free = ("get_schedule", "get_parallel", "get_exec", "get_memory")
        name = self.pick([name for name in free if name not in " ".join(scope.records)])
        self.line(self.pick(COLLISIONS).format(n=name, a=self.read(scope), k=self.new("c")))
        return None

    def called(self, scope: Scope) -> None:
        helper = self.pick(self.helpers or ("int",))
        argument = self.pick(scope.records) if helper in ("pick", "optional", "deep") else ""
        if argument and self.drafts and scope.copies and not self.draw(2):
            argument = self.pick(scope.copies)
        self.line(f'note("{self.new("h")}", {helper}({argument}))')

    def nested(self, scope: Scope) -> None:
        inner, size = replace(scope, depth=scope.depth + 1), 1 + self.draw(3)
        kind = self.draw(9)
        if kind == 0:
            with self.under(f"if {self.read(scope)} > {self.draw(9)}:"):
                self.block(inner, size)
            if self.draw(2):
                with self.under("else:"):
                    self.block(inner, 1)
        elif kind == 1:
            with self.under(f"for {self.new('i')} in range({self.draw(3)}):"):
                self.block(inner, size)
        elif kind == 2:
            with self.under("try:"):
                self.block(inner, size)
                if self.draw(2):
                    self.line('raise Error("planned")')
            with self.under("except (Error, ArithmeticError) as error:"):
                self.line('note("caught", str(error))')
                self.block(inner, 1)
            if self.draw(2):
                with self.under("finally:"):
                    self.block(inner, 1)
        elif kind == 3:
            with self.under(f"with contextlib.nullcontext({self.read(scope)}) as {self.new('y')}:"):
                self.block(inner, size)
        elif kind in (4, 5):
            self.function(inner, size)
        elif kind == 6:
            with self.under(f"match {self.read(scope)}:"):
                with self.under(f"case {self.draw(9)} | 7:"):
                    self.block(inner, 1)
                with self.under(f"case found if found > {self.read(scope)}:"):
                    self.block(inner, 1)
                with self.under("case _:"):
                    self.block(inner, 1)
        elif kind == 7:
            name = self.new("Local")
            with self.under(f"class {name}:"):
                self.line(f"size = {self.read(scope)}")
                with self.under("def get(this):"):
                    self.block(replace(inner, depth=3), 1)
                    self.line(f"return {self.read(scope)}")
            self.line(f'note("{self.new("l")}", {name}.size, {name}().get())')
        else:
            name = self.new("gen")
            with self.under(f"def {name}():"):
                self.block(replace(inner, depth=3), 1)
                self.line(f"yield {self.read(scope)}\nyield from ({self.read(scope)},)")
            self.line(f'note("{self.new("g")}", list({name}()))')

    def function(self, scope: Scope, size: int) -> None:
        """A function in a function: it closes over the aliases around it, or is given one."""
        name, taken = self.new("inner"), self.pick(scope.records)
        default = self.read(scope)
        head = self.pick(
            (
                "{n}()",
                "{n}(default={d})",
                "{n}(*, server_args)" if self.writes else "{n}(sa)",
                "{n}(*, server_args)",
                "{n}(server_args=None)",
            )
        )
        records = scope.records
        with self.under(f"def {head.format(n=name, d=default)}:"):
            if "(sa)" in head or "server_args)" in head:
                parameter = "sa" if "(sa)" in head else "server_args"
                # In its own scope it is another name than the one around it.
                records = (*(one for one in records if one != parameter), parameter)
            elif "=None" in head:
                self.line(f"server_args = server_args or {self.pick(self.outside(scope))}")
                records = (*(one for one in records if one != "server_args"), "server_args")
            bound = tuple(one for one in records if one not in NAMES or one in head)
            self.block(replace(scope, records=bound or records, copies=()), size)
            self.line(f"return {self.read(replace(scope, records=bound or records, copies=()))}")
        given = {"{n}(sa)": taken, "{n}(*, server_args)": f"server_args={taken}"}.get(head, "")
        self.line(f'note("{self.new("f")}", {name}({given}))')

    def outside(self, scope: Scope) -> Sequence[str]:
        return [one for one in scope.records if one != "server_args"]


def engine(draw: Draw) -> tuple[Program, bool]:
    """A program of two modules, and whether it hands on copies of the record."""
    drafts = not draw(4)
    writes = not drafts and bool(draw(4))
    library = Writer(draw, writes, drafts)
    core = Writer(draw, writes, drafts, ("pick", "optional", "lib_read", "deep"))
    return {"lib": _library(library), "core": _core(core)}, drafts


def _header(writer: Writer) -> tuple[str, ...]:
    """Writes a module's imports; returns the expressions that give the record anywhere in it."""
    text, records = writer.pick(HEADERS)
    writer.line("import contextlib\nimport copy\nimport dataclasses")
    writer.line(TRACE)
    writer.line(text)
    return records


def _library(writer: Writer) -> str:
    records = _header(writer)
    with writer.under("def current():"):
        writer.line(f"return {writer.pick(records)}")
    with writer.under("def pick(server_args):"):
        writer.block(Scope(("server_args",), depth=3), 1)
        writer.line(f"return server_args.{writer.name()}")
    with writer.under("def optional(server_args=None):"):
        writer.line(f"sa = server_args if server_args is not None else {writer.pick(records)}")
        writer.line(f"return sa.{writer.name()}")
    with writer.under("def deep(server_args):"):
        writer.line("return Holder(server_args).read()")
    with writer.under("def lib_read():"):
        _body(writer, records, 2)
    with writer.under("class Holder:"):
        with writer.under("def __init__(self, server_args):"):
            writer.line("self.server_args = server_args")
            writer.block(Scope(("server_args", "self.server_args"), depth=3), 1)
        writer.line(writer.pick(MEMBERS).format(f=writer.name(), g=writer.name()))
        with writer.under("def read(self):"):
            _body(writer, (*records, "self.server_args", "self.server_args"), 2)
    return _text(writer)


def _core(writer: Writer) -> str:
    records = _header(writer)
    writer.line(f"from {PACKAGE}.lib import Holder, current, deep, lib_read, optional, pick")
    records = (*records, "current()")
    with writer.under("def step():"):
        _body(writer, records, 2)
    with writer.under("class Engine:"):
        with writer.under("def __init__(self, server_args, holder):"):
            writer.line("self.server_args = server_args\nself.holder = holder")
        own = (*records, "self.server_args", "self.server_args", "self.holder.server_args")
        with writer.under("def run(self):"):
            _body(writer, own, 2)
        with writer.under("def again(self):"):
            _body(writer, own, 1)
    with writer.under("def main(server_args):"):
        given = "server_args"
        if writer.drafts:
            writer.line(f"draft = copy.copy(server_args)\ndraft.{writer.name()} = {writer.draw(9)}")
            given = writer.pick(("draft", "server_args"))
        writer.line(f"holder = Holder({given})\nengine = Engine(server_args, holder)")
        calls = ["step", "engine.run", "engine.again", "holder.read", "lib_read", "step"]
        for _ in range(4):
            writer.line(f"attempt({writer.pick(calls)})")
        writer.line("for each in (step, engine.run, engine.again, holder.read, lib_read):\n    attempt(each)")
        writer.line('attempt(lambda: note("size", holder.size))')
    return _text(writer)


def _body(writer: Writer, records: tuple[str, ...], size: int) -> None:
    if not writer.draw(4):
        text, more = writer.pick(LOCAL_IMPORTS)
        writer.line(text)
        records = (*records, more)
    scope = Scope(records)
    scope = writer.bound(scope) if writer.draw(2) else scope
    for _ in range(1 + writer.draw(size + 1)):
        scope = writer.statement(scope)
    writer.line(f"return {writer.read(scope)}")


def _text(writer: Writer) -> str:
    return "\n".join(writer.lines) + "\n"
