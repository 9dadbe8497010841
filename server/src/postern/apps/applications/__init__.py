"""Applications: remote apps, databases and Kubernetes clusters, with their typed attributes."""
