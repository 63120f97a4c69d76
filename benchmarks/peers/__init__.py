"""One module per library: how a user of that library computes the compared quantities."""
