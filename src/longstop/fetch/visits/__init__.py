"""One visit to a match: from a page and what its own calls bring, or directly where a session knows the calls."""
