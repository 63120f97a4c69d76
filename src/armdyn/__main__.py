"""``python -m armdyn``: the command line."""

from armdyn.cli import main

if __name__ == "__main__":
    main()
