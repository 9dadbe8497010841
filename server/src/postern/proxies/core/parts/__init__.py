"""The parts of a proxy process, which are started, drained and stopped, including the fronts."""
