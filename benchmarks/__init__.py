"""Figures that are measured, not asserted: `make bench` and the proofs of each part of the house."""
