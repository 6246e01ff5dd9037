"""The small project with everything that writing needs: a context to write to, and stubs to check against."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.cli.project import PACK, Project

CONTEXT = """
[[context]]
accessor = "shop.context.get_context"
slots = { settings = "settings" }
override = "override"
override-source = "source"

[[namespace]]
path = "ui"
accessor = "shop.context.get_ui"
"""

STUB = """\
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, Literal, type_check_only

from typing_extensions import deprecated

# ratchet: classes

@type_check_only
class RetiredRecord: ...

class Context:
    def reset(self) -> None: ...
    # ratchet: override

def get_context() -> Context: ...

# ratchet: accessors

@deprecated("the record is retired: read the namespace that has the field")
def get_settings() -> RetiredRecord: ...
"""

MENU = """\
from shop.context import get_settings


def wait(settings):
    return settings.timeout


def retry():
    # as often as it takes
    return get_settings().retries


def title():
    settings = get_settings()
    return settings.name
"""

MENU_AFTER = """\
from shop.context import get_net, get_ui


def wait(settings):
    return settings.timeout


def retry():
    # as often as it takes
    return get_net().retries


def title():
    return get_ui().name
"""

TEXT_RULE = """\
title = "calls of the getter, by their spelling"
kind = "text"
mode = "ratchet"
why = "An older check counted them so."
instead = "Read the namespace."

[match]
regex = 'get_settings\\(\\)'

[[example]]
bad = "x = get_settings()"
good = "x = get_net()"
"""

ALL = ("migrate", "--all", "--write")

needs_checker = pytest.mark.skipif(importlib.util.find_spec("ty") is None, reason="ty is not installed")


def create(folder: Path) -> Project:
    """The project, with its baselines adopted."""
    made = Project.create(folder)
    made.write("rules/shop/pack.toml", PACK + CONTEXT)
    made.write("rules/shop/stubs/shop/context.pyi", STUB)
    made.write("rules/shop/text-getter.toml", TEXT_RULE)
    made.write("src/shop/menu.py", MENU)
    made.adopt()
    return made


def snapshot(project: Project) -> dict[str, bytes]:
    """Every file of the project, baselines included; not what git or a cache keeps."""
    return {
        path.relative_to(project.folder).as_posix(): path.read_bytes()
        for path in sorted(project.folder.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """The files in which two snapshots differ."""
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
