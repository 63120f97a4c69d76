"""What is wrong with a robot description, and its repair."""
