"""More than one Longstop: what one passes on to another."""
