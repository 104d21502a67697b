"""The command line: one thin file per command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from io import StringIO, TextIOWrapper
from typing import NoReturn

import click

from tiebreak import __version__
from tiebreak._base.text import escape_controls
from tiebreak.cli.advice import AdvisingGroup, add_advice
from tiebreak.cli.output import say, silence
from tiebreak.errors import TiebreakError

BAD_INPUT = 2
NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
COMMANDS = (
    *("demo", "check", "evaluate", "compare", "order", "explain", "worst", "providers", "test", "study", "report"),
    *("measures", "doctor"),
)
"""In the order of the help; each is the `command` of the module of its name."""


class LazyGroup(AdvisingGroup):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"tiebreak.cli.{cmd_name}").command
        return command


COMPLETION = """\b
Shell completion, of commands, options, files and measures:
  bash  eval "$(_TIEBREAK_COMPLETE=bash_source tiebreak)"   # in ~/.bashrc
  zsh   eval "$(_TIEBREAK_COMPLETE=zsh_source tiebreak)"    # in ~/.zshrc
  fish  _TIEBREAK_COMPLETE=fish_source tiebreak | source    # in config.fish
"""


@click.group(cls=LazyGroup, epilog=COMPLETION, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def tiebreak() -> None:
    """Compare search and recommender systems by what users in different situations would prefer."""


class Stopped(BaseException):
    """A signal asked to stop; raised, so that drafts are removed on the way out."""


@contextmanager
def signals_raised() -> Iterator[None]:
    """Unwind where a signal would end Python at once; ignored signals, as under nohup, stay ignored."""

    def stop(number: int, _: object) -> NoReturn:
        raise Stopped(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


@signals_raised()
def main() -> NoReturn:
    """Run the command line: exit code 0 when done, 2 on bad input. Never a traceback."""
    warnings.showwarning = _show_warning
    _prepare_streams()
    gc.set_threshold(100_000)  # imports make many objects and hardly any garbage
    atexit.register(gc.freeze)  # no last collection: memory goes with the process
    # OpenBLAS threads spin while they wait, on processors that read files; nothing here multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        tiebreak(prog_name="tiebreak", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        text = StringIO()
        add_advice(error).show(text)
        say(text.getvalue().rstrip("\n"))
        sys.exit(error.exit_code)
    except TiebreakError as error:
        _fail(str(error))
    except (KeyboardInterrupt, click.Abort):
        _stop("interrupted", signal.SIGINT)
    except Stopped as stop:
        _stop("stopped", stop.args[0])
    except SystemExit as stop:
        # Click ends with 1, and wraps the output, where the reader of its help stopped reading.
        sys.exit(0 if "PacifyFlushWrapper" in type(sys.stdout).__name__ else stop.code)
    except BrokenPipeError:
        silence(sys.stdout)
    except OSError as error:
        # Errors of files have their names: a full disk without one is standard output.
        silence(sys.stdout)
        target = error.filename or ("standard output" if error.errno in NO_ROOM else "a file")
        _fail(f"{target}: {error.strerror or error}.")
    except MemoryError:
        _fail("not enough memory. Give fewer runs at once, or a smaller depth.")
    except BaseException as error:  # a panic of a compiled library is no Exception
        if is_caused_by_interrupt(error):
            _stop("interrupted", signal.SIGINT)
        if os.environ.get("TIEBREAK_TRACEBACK") == "1":
            raise
        name = type(error).__name__
        _fail(f"{name}: {error} (set TIEBREAK_TRACEBACK=1 to see where it comes from)")
    sys.exit(0)


def is_caused_by_interrupt(error: BaseException) -> bool:
    """Whether it was raised while Ctrl-C ended the work, as by a lock that was not taken yet when it is released."""
    cause = error.__context__
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None


def _prepare_streams() -> None:
    """Discard output to closed streams; escape what a stream cannot encode."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stop(word: str, number: int) -> NoReturn:
    """End without waiting for running threads; temporary files are removed."""
    say(f"Error: {word}.")
    with suppress(OSError):
        sys.stdout.flush()
    atexit._run_exitfuncs()
    os._exit(128 + number)


def _fail(message: str) -> NoReturn:
    say(f"Error: {escape_controls(message)}")
    sys.exit(BAD_INPUT)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    say(f"Note: {escape_controls(str(message))}")
