"""What the fronts of a proxy report to the control plane."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Announcement:
    """The fields that heartbeats report about the fronts. Fields that do not apply keep their defaults."""

    ssh_port: int = 0
    stream_address: str = ""
    files_address: str = ""
    connections: int = 0

    def beside(self, other: "Announcement") -> "Announcement":
        """Combine the announcements of two fronts."""
        return Announcement(
            ssh_port=self.ssh_port or other.ssh_port,
            stream_address=self.stream_address or other.stream_address,
            files_address=self.files_address or other.files_address,
            connections=self.connections + other.connections,
        )
