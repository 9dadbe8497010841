"""The secret by which the proxy of this data folder is told apart from every other one.

Web and proxy read it from the folder; it is never sent, not even between the two.
"""

from typing import Final

#: Its name in the folder of secrets.
LOCAL_PROXY_FILE: Final = "local-proxy.secret"
