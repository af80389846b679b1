"""The way in. Written so that an old Python can still read it and say that it is too old."""

import sys

if sys.version_info < (3, 11):
    found = "%d.%d" % sys.version_info[:2]
    sys.exit("[longstop] Python 3.11 or newer is needed, this is " + found + ". Try: make PYTHON=python3.11")

from scripts.bootstrap.goals import main

sys.exit(main(sys.argv[1:]))
