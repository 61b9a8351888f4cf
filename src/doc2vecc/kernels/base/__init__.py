"""What all kernels stand on: how they are compiled, rows of tables, random numbers, sampling."""
