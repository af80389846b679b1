"""Exits: the proxies that a source's calls leave by, which of them serves whom, and which must rest."""
