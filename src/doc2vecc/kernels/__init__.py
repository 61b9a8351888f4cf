"""Compiled loops: arrays and scalars in, arrays out. Nothing here knows the package's classes."""
