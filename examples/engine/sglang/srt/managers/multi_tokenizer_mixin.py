"""Several tokenizer workers for one engine."""


def worker_names(count: int) -> list[str]:
    """What the workers of an engine are called."""
    return [f"worker-{number}" for number in range(count)]
