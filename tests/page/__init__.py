"""Pages in a browser. A package, so that its tests share one browser."""
