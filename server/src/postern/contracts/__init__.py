"""Messages between the control plane and the access plane: immutable, typed and versioned. No I/O.

Every message is a `msgspec.Struct` and is sent as JSON. Within one `PROTOCOL_VERSION`, a field can be added with a
default, but a field is never removed and never changes its meaning.
"""

from typing import Final

PROTOCOL_VERSION: Final = 3
