"""``python -m tiebreak.ir_measures QRELS RUN nDCG@10 TSE``: ir_measures' command line, with these measures too."""

import sys

from ir_measures.__main__ import main_cli

import tiebreak.ir_measures  # noqa: F401
from tiebreak.cli.output import say, silence


def main() -> None:
    """Run it; what is wrong with the input is one sentence, and exit code 2."""
    sys.argv[0] = "python -m tiebreak.ir_measures"  # as its usage calls it
    try:
        main_cli()
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    except (OSError, ValueError, AssertionError) as error:
        say(f"Error: {f'{error.filename}: {error.strerror}.' if isinstance(error, OSError) else error}")
        sys.exit(2)


if __name__ == "__main__":
    main()
