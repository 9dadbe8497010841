"""What permissions of every kind have in common. A kind, such as asset permissions, declares how it differs."""
