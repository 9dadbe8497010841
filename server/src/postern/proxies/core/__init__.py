"""What every protocol shares: the life of a session, its recording and audit, and the talk with the control plane."""
