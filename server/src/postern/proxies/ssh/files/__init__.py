"""The files of an SSH host for the file manager, over SFTP. The proxy is the client here, behind the same inspector."""
