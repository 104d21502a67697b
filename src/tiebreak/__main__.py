"""``python -m tiebreak`` is the command line."""

import os
import sys

if __name__ == "__main__":
    # As for the command `tiebreak`: no code of the working directory is imported, unless PYTHONPATH names it.
    if not sys.flags.safe_path and sys.path[0] == os.getcwd():
        del sys.path[0]
    from tiebreak.cli import main

    main()
