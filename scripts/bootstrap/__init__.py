"""Makes a fresh clone ready: the standard library only, since nothing else is there yet."""
