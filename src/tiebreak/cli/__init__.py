"""The command line: one thin file per command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
import sys
import warnings
from io import TextIOWrapper
from typing import NoReturn

import click

from tiebreak import __version__
from tiebreak.cli.lazy import LazyGroup
from tiebreak.cli.output import silence
from tiebreak.errors import TiebreakError

BAD_INPUT, INTERRUPTED = 2, 130
COMMANDS = ("demo", "check", "evaluate", "compare", "order", "explain", "test", "study", "doctor")


@click.group(
    cls=LazyGroup,
    package="tiebreak.cli",
    commands_in_order=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def tiebreak() -> None:
    """Compare search and recommender systems by what users in different situations would prefer."""


def main() -> NoReturn:
    """Run the command line: exit code 0 when done, 2 on bad input. Never a traceback."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Its threads spin while they wait, on the processors that read files; nothing here multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        tiebreak(prog_name="tiebreak", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except TiebreakError as error:
        _fail(str(error), BAD_INPUT)
    except (KeyboardInterrupt, click.Abort):
        _stop()
    except SystemExit as stop:
        # Click ends with 1, and wraps the output, when whoever read its help has seen enough.
        sys.exit(0 if "PacifyFlushWrapper" in type(sys.stdout).__name__ else stop.code)
    except BrokenPipeError:
        silence()
    except OSError as error:
        _fail(f"{error.filename or 'a file'}: {error.strerror or error}.", BAD_INPUT)
    except MemoryError:
        _fail("not enough memory. Give fewer runs at once, or a smaller depth.", BAD_INPUT)
    except BaseException as error:  # a panic of a compiled library is no Exception
        if os.environ.get("TIEBREAK_TRACEBACK") == "1":
            raise
        name = type(error).__name__
        _fail(f"{name}: {error} (set TIEBREAK_TRACEBACK=1 to see where it comes from)", BAD_INPUT)
    sys.exit(0)


def _stop() -> NoReturn:
    """End at once: threads that are still at work would be waited for."""
    if "tiebreak.inputs.sources" in sys.modules:
        sys.modules["tiebreak.inputs.sources"].remove_spooled()
    click.echo("Error: interrupted.", err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    sys.exit(code)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"Note: {message}", err=True)
