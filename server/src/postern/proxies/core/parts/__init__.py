"""Of what a proxy process consists: parts that are started, work, are drained and stopped, and the fronts among them."""
