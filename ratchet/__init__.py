"""A static-analysis ratchet for Python: counts call sites, lets the count only fall, rewrites with proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ratchet.api import accesses, check, count
    from ratchet.model import Verdict

__version__ = "0.1.0"

__all__ = ["Verdict", "__version__", "accesses", "check", "count"]

_HOMES = {"accesses": "api", "check": "api", "count": "api", "Verdict": "model"}


if not TYPE_CHECKING:  # a type checker knows the names, and should find others missing

    def __getattr__(name: str) -> object:
        """The public names, imported when first asked for: `import ratchet` costs next to nothing."""
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"ratchet.{home}"), name)
