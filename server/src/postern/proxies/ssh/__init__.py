"""The SSH front: listener, sign-in, asset menu, and relays to targets (shell, exec, SFTP, scp, rsync)."""
