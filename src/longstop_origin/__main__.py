"""The origin as a process of its own: `python -m longstop_origin`. It ends when its standard input does."""

import typer

from longstop_origin.commands import origin

if __name__ == "__main__":
    typer.run(origin)
