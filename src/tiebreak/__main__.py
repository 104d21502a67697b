"""``python -m tiebreak`` is the command line."""

from tiebreak.cli import main

if __name__ == "__main__":
    main()
