"""What all kernels stand on, from the machine upwards.

1. ``instructions``: vectors of eight values, prefetching; their plain Python forms
2. ``compile``: the decorators ``kernel``, ``inlined`` and ``called``; behind them ``compiler``, with all that is
   private in Numba, and ``emission``, with the instructions for llvmlite
3. ``cache``: where compiled code is kept between runs
4. ``random``: random numbers with an explicit state
5. ``sampling``: draws from a discrete distribution
6. ``rows``: the two tables of vectors, and what is done with their rows
"""
