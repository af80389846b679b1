"""Work on a set of matches that is done when it is done, beside the watching that never ends."""
