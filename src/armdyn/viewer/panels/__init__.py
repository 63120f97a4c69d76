"""The controls of a view next to its picture: joints, numbers, curves, playback, visible parts."""
