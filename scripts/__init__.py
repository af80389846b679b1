"""What the Makefile calls. `python -m scripts.NAME` from the root of the project."""
