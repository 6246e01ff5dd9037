"""One run of the command line: whatever happens ends as one sentence and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from ratchet.cli.group import Interrupted, RunState, cli
from ratchet.errors import RatchetError

INTERRUPTED = 130
INTERNAL = 3


def run(arguments: Sequence[str] | None = None) -> int:
    """Run `ratchet` with these arguments (the process's own where there are none); returns its exit code.

    Nothing but a verb's result goes to the standard output: what is said about a run goes to the other one.
    """
    _keep_printable(sys.stdout)
    _keep_printable(sys.stderr)
    state = RunState()
    try:
        code = cli.main(arguments, prog_name="ratchet", standalone_mode=False, obj=state)
        return _flushed(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except RatchetError as error:
        _raise_if(state.debug)
        _say(str(error))
        return error.exit_code
    except (Interrupted, KeyboardInterrupt, click.Abort):
        _say("interrupted; nothing was left half-written")
        return INTERRUPTED
    except BrokenPipeError:
        return _flushed(0)
    except OSError as error:
        _raise_if(state.debug)
        _say(f"{_place(error)}: {_one_line(error.strerror or error)}; correct its name, or who may use it")
        return INTERNAL
    except Exception as error:
        _raise_if(state.debug)
        _say(
            f"internal error ({type(error).__name__}: {_one_line(error)}); please report it to ratchet's"
            " authors with what the same command says with --debug"
        )
        return INTERNAL


def _raise_if(debug: bool) -> None:
    """Show the traceback of the exception that is being handled."""
    if debug:
        import traceback

        traceback.print_exc()


def _say(sentence: str) -> None:
    from ratchet.escape import display_text

    click.echo(f"ratchet: {display_text(sentence)}", err=True)


def _place(error: OSError) -> str:
    from ratchet.escape import display_path

    return display_path(os.fsdecode(error.filename)) if error.filename else "a file"


def _one_line(error: Exception | str) -> str:
    return " ".join(str(error).split())[:300]


def _keep_printable(stream: TextIO) -> None:
    """Let a stream write what its encoding lacks as an escape; a captured one may not be able to."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    """Flush here, where a reader that went away can be passed over in silence."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    return code


def silence(stream: TextIO) -> None:
    """Point a stream whose reader went away at nothing, so that no later flush fails."""
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), stream.fileno())
