"""How a run ends, whatever happens: one sentence, an exit code, and the right stream."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import click
import pytest

from ratchet.cli import group
from ratchet.cli.group import VERBS, cli
from tests.cli.project import Outcome, Project

LIGHT = {"ratchet.cli", "ratchet.cli.run", "ratchet.cli.group", "ratchet.errors", "ratchet.frozen"}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_imports_no_verb(argument: str) -> None:
    code = f"""if True:
        import sys
        from ratchet.cli.run import run
        run([{argument!r}])
        print(*(name for name in sys.modules if name.startswith("ratchet.")))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()[-1].split()) == LIGHT


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(project: Project, verb: str) -> None:
    for option in ("-h", "--help"):
        outcome = project.run(verb, option)
        assert (outcome.code, outcome.err) == (0, "")
        assert "Example" in outcome.out


SHARED = {
    "--root",
    "--tree",
    "--pack",
    "--engine",
    "--baselines",
    "--cache-dir",
    "--no-cache",
    "--jobs",
    "--config",
    "--format",
    "--output",
    "--debug",
}


@pytest.mark.parametrize(
    "verb", sorted(set(VERBS) - {"merge-driver", "pack", "schema", "stubs", "surface", "upgrade"})
)
def test_every_verb_takes_the_shared_options(verb: str) -> None:
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    names = {option for parameter in command.params for option in parameter.opts}
    assert names >= SHARED


def test_the_version(project: Project) -> None:
    from ratchet import __version__

    assert project.run("--version") == Outcome(0, f"ratchet {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(["chek"], "there is no command 'chek'; did you mean `check`?", id="verb"),
        pytest.param(["check", "--stael"], "No such option", id="option"),
        pytest.param(["check", "--stale=maybe"], "'maybe' is not one of", id="choice"),
        pytest.param(["count", "--jobs=0"], "0 is not in the range", id="range"),
        pytest.param(["sites"], "Missing argument 'RULE'", id="argument"),
    ],
)
def test_wrong_usage(project: Project, arguments: list[str], sentence: str) -> None:
    outcome = project.run(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert "Traceback" not in outcome.err


def test_without_a_verb_there_is_help(project: Project) -> None:
    outcome = project.run()
    assert outcome.code == 2
    assert "Commands:" in outcome.out + outcome.err


# What goes wrong inside


def failing(error: BaseException) -> click.Command:
    """A verb that ends in an error."""

    @click.command("fail")
    @group.debug_option
    def fail() -> None:
        raise error

    return fail


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Lets `ratchet fail` be a verb; its error is set with `setattr`."""
    monkeypatch.setitem(VERBS, "fail", ("test_double:fail", "Fail."))
    return monkeypatch


def set_error(patch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make `ratchet fail` raise this."""
    module = type(sys)("ratchet.cli.test_double")
    module.__dict__["fail"] = failing(error)
    patch.setitem(sys.modules, "ratchet.cli.test_double", module)


def test_an_internal_error_is_one_sentence(project: Project, fails: pytest.MonkeyPatch) -> None:
    set_error(fails, ValueError("no\nsuch thing"))
    outcome = project.run("fail")
    assert outcome == Outcome(
        3,
        "",
        "ratchet: internal error (ValueError: no such thing); please report it to ratchet's"
        " authors with what the same command says with --debug\n",
    )


@pytest.mark.parametrize("arguments", [["--debug", "fail"], ["fail", "--debug"]], ids=["before", "after"])
def test_debug_shows_the_traceback(project: Project, fails: pytest.MonkeyPatch, arguments: list[str]) -> None:
    set_error(fails, ValueError("no such thing"))
    outcome = project.run(*arguments)
    assert (outcome.code, outcome.err.startswith("Traceback (most recent call last):\n")) == (3, True)


def test_debug_shows_the_traceback_of_a_fault_too(project: Project) -> None:
    outcome = project.run("check", "--debug", "--rule=none")
    assert (outcome.code, "Traceback" in outcome.err) == (2, True)
    assert outcome.err.endswith("ratchet: no rule is called none; `ratchet count` lists them all\n")


def test_an_interrupt_is_one_line(project: Project, fails: pytest.MonkeyPatch) -> None:
    set_error(fails, KeyboardInterrupt())
    assert project.run("fail") == Outcome(130, "", "ratchet: interrupted; nothing was left half-written\n")


def test_ctrl_c_in_a_real_run(project: Project) -> None:
    for number in range(400):
        body = "".join(f"def f{n}(settings):\n    settings.override('f', a={n})\n" for n in range(300))
        project.write(f"src/shop/many/m{number}.py", body)
    command = [sys.executable, "-m", "ratchet", "count", "--no-cache", "--jobs=2"]
    process = subprocess.Popen(
        command,
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Whoever starts the tests in the background has made them deaf to interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    # The library of processes may complain as a worker ends; no frame of ours is in that.
    assert "ratchet: interrupted; nothing was left half-written" in err.decode().splitlines()
    assert b"ratchet/" not in err.replace(str(project.folder).encode(), b"")


def test_a_reader_that_goes_away_is_no_matter(project: Project) -> None:
    for number in range(200):
        project.write(f"src/shop/m{number}.py", "import os\nos.system('x')\n" * 40)
    process = subprocess.Popen(
        [sys.executable, "-m", "ratchet", "sites", "shell"],
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 0


def test_names_that_the_terminal_cannot_show(project: Project) -> None:
    project.write("src/shop/caf\u00e9.py", "import os\nos.system('x')\n")
    outcome = project.process("sites", "shell", PYTHONIOENCODING="ascii")
    assert (outcome.code, outcome.err) == (0, "")
    assert "caf\\xe9.py:2:1: os.system('x')" in outcome.out


def test_as_a_module_and_as_a_command(project: Project) -> None:
    outcome = project.process("count", "shell", "--no-cache")
    assert (outcome.code, outcome.out.splitlines()[0], outcome.err) == (0, "shell  0", "")


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(project: Project, shell: str) -> None:
    outcome = project.run("completion", shell)
    assert outcome.code == 0
    assert f"_RATCHET_COMPLETE={shell}_complete" in outcome.out


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        pytest.param("ratchet ti", "tighten", id="a-verb"),
        pytest.param("ratchet sites --pack rules/shop set", "settings-override\nsettings-read", id="a-rule"),
        pytest.param("ratchet check --sta", "--staged\n--stale", id="an-option"),
        pytest.param("ratchet sites --pack rules/none set", "", id="no-pack"),
    ],
)
def test_completing(project: Project, words: str, completed: str) -> None:
    outcome = project.process(
        _RATCHET_COMPLETE="fish_complete", COMP_WORDS=words, COMP_CWORD=words.rpartition(" ")[2]
    )
    names = [line.partition(",")[2].partition("\t")[0] for line in outcome.out.splitlines()]
    assert (outcome.code, "\n".join(names)) == (0, completed)
