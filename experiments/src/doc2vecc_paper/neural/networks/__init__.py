"""Torch modules of the baselines; importing one needs torch."""
