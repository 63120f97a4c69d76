"""Rotations, rigid motions and turns, of floats or traced scalars. Knows no robots."""
