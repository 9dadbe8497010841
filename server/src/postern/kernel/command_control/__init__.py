"""Command filters: which commands a line would run, and what the rules say about them.

Pure Python without input or output, for live sessions, batch commands and the console alike. `resolver` turns a line and
the state of a session into resolved commands; `judge` applies rules to them. Nothing here raises on hostile input, and
all work is counted in steps, so that a verdict never depends on the load of the machine.
"""
