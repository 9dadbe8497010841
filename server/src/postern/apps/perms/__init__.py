"""Who may reach what: asset permissions, the decision with its reasons, and the lists made from it."""
