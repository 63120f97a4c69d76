"""Descriptions of robots: each reader turns one kind of source into a `Model`, in SI units and one convention."""
