"""How the files of a tree are called as modules."""

from __future__ import annotations


def module_name(package: str, path: str) -> tuple[str, bool]:
    """The dotted name of the module at a path relative to the source root, and whether it is a package."""
    parts = path.removesuffix(".py").removesuffix(".pyi").split("/")
    is_package = parts[-1] == "__init__"
    return ".".join([package, *(parts[:-1] if is_package else parts)]), is_package
