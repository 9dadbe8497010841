"""What the control plane and the access plane say to each other: frozen, typed, versioned messages. No I/O.

Every message is a `msgspec.Struct` and travels as JSON. A field may be added with a default; a field never changes
its meaning and is never removed within one `PROTOCOL_VERSION`.
"""

from typing import Final

PROTOCOL_VERSION: Final = 2
