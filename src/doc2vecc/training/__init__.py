"""From an encoded corpus to a model: schedule, threads, progress."""
