"""Kills and failing disks at every moment of writing: `make faults`."""
