"""A site that does not exist: a simulated origin that knows the truth and fails on purpose."""
