"""The parts of a function's signature."""

from __future__ import annotations

import ast


def evaluated(arguments: ast.arguments, returns: ast.expr | None) -> list[ast.expr]:
    """What a signature evaluates where it is defined: defaults and annotations."""
    defaults = [*arguments.defaults, *(part for part in arguments.kw_defaults if part is not None)]
    notes = [argument.annotation for argument in all_arguments(arguments) if argument.annotation]
    return [*defaults, *notes, *([returns] if returns else [])]


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters, those with a star last."""
    rest = [part for part in (arguments.vararg, arguments.kwarg) if part is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *rest]
