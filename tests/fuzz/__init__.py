"""Mutations of everything that doc2vecc reads, each tried in a child process: `make fuzz`."""
