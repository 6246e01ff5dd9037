"""Writes docs/reasons.md, why sites stay where they are: `python docs/reasons.py`."""

from __future__ import annotations

from pathlib import Path

from ratchet.codemod import reasons
from ratchet.codemod.reasons import REASONS, Explained

PAGE = Path(__file__).with_name("reasons.md")


def main() -> None:
    """Write the page."""
    PAGE.write_text(render(), encoding="utf-8")


def render() -> str:
    """The page, made of the table of reasons."""
    about = (reasons.__doc__ or "").partition("\n\n")[2].strip()
    parts = [
        "# Why a site stays",
        "Made by `python docs/reasons.py` out of `ratchet/codemod/reasons.py`; correct that, not this.",
        "`ratchet migrate` moves a site or says why it stays: the reason's code, and the evidence in a "
        "sentence. `ratchet migrate --explain ID` tells both of one site.",
        about.replace("\n", " "),
        *(part for item in REASONS for part in _reason(item)),
    ]
    return "\n\n".join(parts) + "\n"


def _reason(item: Explained) -> list[str]:
    asked = f" (with {', '.join(f'`--{name}`' for name in item.asked)})" if item.asked else ""
    return [
        f"## {item.code}",
        item.sentence,
        f"`{item.path}`{asked}:\n\n```python\n{item.example.strip()}\n```",
    ]


if __name__ == "__main__":
    main()
