"""`postern demo`: all services as with `postern up`, with demo data in a separate data folder."""

from postern.entrypoints.demo.run import run_demo

__all__ = ["run_demo"]
