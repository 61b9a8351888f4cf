"""Compiled loops, in three rooms: arrays and scalars in, arrays out. Nothing here knows the package's classes.

- ``text``: the bytes of texts become ids, and vectors;
- ``training``: the corruption, the loop over targets, one step;
- ``base``: what both stand on, from the compiler to rows of tables.

The method itself stands in plain NumPy in :mod:`doc2vecc.reference`; the tests hold the kernels to it.
"""
