"""A league by rounds, in the shapes of the round source: a season drawn from a seed, or from a file of reports."""
