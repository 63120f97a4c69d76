"""Checks of a description: each a generator of findings over the file's links and joints."""
