"""Messages to a syslog receiver (RFC 5424) over UDP, TCP and TLS."""
