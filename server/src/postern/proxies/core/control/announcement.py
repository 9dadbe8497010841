"""What the fronts of a proxy have to tell the control plane."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Announcement:
    """What heartbeats tell about the fronts. The fields of those that do not apply stay as they are."""

    ssh_port: int = 0
    stream_address: str = ""
    connections: int = 0

    def beside(self, other: "Announcement") -> "Announcement":
        """What both together have to tell."""
        return Announcement(
            ssh_port=self.ssh_port or other.ssh_port,
            stream_address=self.stream_address or other.stream_address,
            connections=self.connections + other.connections,
        )
