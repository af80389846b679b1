"""Pure decisions about trying again, waiting and giving up."""
