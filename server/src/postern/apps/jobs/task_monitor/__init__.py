"""The task monitor: pages of Flower about the workers, started when a system administrator opens them."""
