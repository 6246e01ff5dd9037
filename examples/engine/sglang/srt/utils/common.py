"""What every process of the engine does first."""

import logging


def configure_logger(level: str) -> None:
    logging.basicConfig(level=level.upper())
