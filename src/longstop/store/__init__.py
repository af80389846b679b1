"""One contract, several backends, one conformance suite."""
