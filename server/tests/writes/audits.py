"""Writes of the audit log's own screens."""

from writes.case import Told, Write

WRITES = [
    Write(
        method="POST",
        path="/api/v1/audits/verification/",
        status=202,
        told=[Told(event="verification.requested", action="other", kind="Verification", name="{any}")],
    ),
]
