"""Engine versions that an entry is limited to."""

from __future__ import annotations

from ratchet.pack.table import Table


def take_specifier(table: Table, checked: bool) -> str | None:
    """The engine versions that an entry is limited to; what is no specifier is a fault of the table."""
    specifier = table.take_optional("engines")
    if specifier:
        check_specifier(table, "engines", specifier, checked)
    return specifier


def check_specifier(table: Table, key: str, specifier: str, checked: bool) -> None:
    """Record a fault where a text is no version specifier; a `checked` one was found right before."""
    if checked:
        return
    from packaging.specifiers import SpecifierSet

    try:
        SpecifierSet(specifier)
    except ValueError:  # InvalidSpecifier is one, and so is a number with too many digits
        table.fault(key, f'`{specifier}` is no version specifier; write one such as ">=0.5.16,<0.5.20"')
