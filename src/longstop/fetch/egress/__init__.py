"""Where traffic may go: one door out for calls of ours and of the browser."""
