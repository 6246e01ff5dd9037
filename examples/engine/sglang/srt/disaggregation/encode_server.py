"""Starts the processes that encode images."""

import multiprocessing
from collections.abc import Callable


def launch_server(encode: Callable[[int], None], ports: list[int]) -> list[multiprocessing.Process]:
    workers = [multiprocessing.Process(target=encode, args=(port,)) for port in ports]
    for worker in workers:
        worker.start()
    return workers
