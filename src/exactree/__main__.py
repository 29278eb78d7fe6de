"""Run the command `exactree` as `python -m exactree`."""

from exactree.cli import main

if __name__ == "__main__":
    main(prog_name="exactree")
