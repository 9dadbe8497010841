"""The SSH front: listener, sign-in, asset menu, and the relays to targets (shell, exec, SFTP, scp)."""
