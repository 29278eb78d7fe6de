"""`python -m exactree` is the command `exactree`."""

from exactree.cli import main

if __name__ == "__main__":
    main(prog_name="exactree")
