"""The shared secret that identifies the proxy of this data folder.

Web process and proxy read it from the folder; it is never sent over a connection.
"""

from typing import Final

#: File name in the folder of secrets.
LOCAL_PROXY_FILE: Final = "local-proxy.secret"
