"""One folder per vendor, the same file names in each. Parsing is pure: Snapshot in, Observation out."""
