"""The journal of rounds and the matches that it brought, in the same database as everything else."""
