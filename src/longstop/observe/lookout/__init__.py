"""What the operations page shows beside the board: how ages went, what happened, what is held. In memory, bounded."""
