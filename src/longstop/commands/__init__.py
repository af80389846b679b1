"""One file a command; `cli` joins them."""
