"""The way to targets: which connector carries a protocol, what a front asks of it, and which addresses may be dialled."""
