"""The proofs of the house, one file for each thing that is proven."""
