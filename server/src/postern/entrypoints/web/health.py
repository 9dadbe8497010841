"""The web part on the health page: how many of its processes answer, and how many should."""

from postern.entrypoints.web.table import Table


def show(table: Table, wanted: int) -> None:
    """Called before the processes are forked: each of them can say how many there are."""
    from postern.foundation import health

    health.count_processes("web", lambda: (table.running, wanted))
