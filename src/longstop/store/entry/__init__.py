"""Consumers, keys, revocations and the access log: apart from the record, so that neither holds up the other."""
