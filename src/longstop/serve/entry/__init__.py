"""Who gets in: the rule of each route, keys and tokens, limits, and the log of who came."""
