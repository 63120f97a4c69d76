"""What the documentation's build adds to Sphinx: the reference from the docstrings, links from names and equations."""
