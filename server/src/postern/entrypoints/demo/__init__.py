"""`postern demo`: everything as `postern up` starts it, with a story to look at in a data folder of its own."""

from postern.entrypoints.demo.run import run_demo

__all__ = ["run_demo"]
