"""A static-analysis ratchet for Python: counts call sites, lets the count only fall, rewrites with proof."""

__version__ = "0.1.0"
