"""The controls of a view beside its picture: joints, numbers, curves, playback, what is shown."""
