"""A simulated football site in the shapes of docs/sources/sofascore.md. It knows the truth, and lies when told to.

A pure core answers a request at a moment; `server` puts it on a socket, `visitor` hands it to the engine without one.
"""
