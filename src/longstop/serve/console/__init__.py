"""The operations page: plain files, no build step."""
