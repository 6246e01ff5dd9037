"""Another engine in the same package, whose record only shares the name."""

import dataclasses


@dataclasses.dataclass
class ServerArgs:
    """What that engine was asked for."""

    model_path: str = ""
    num_steps: int = 20


def steps(server_args: ServerArgs) -> int:
    """How many steps a picture takes."""
    return server_args.num_steps
