"""Models written in other descriptions: screw lists, zero reference position, Denavit-Hartenberg tables, URDF."""
