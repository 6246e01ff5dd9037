"""Writes tensors to files, one folder a rank."""


def folder(base: str, rank: int) -> str:
    """Where a rank writes."""
    return f"{base}/rank-{rank}"
