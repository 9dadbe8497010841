"""Reads of the sessions app."""

from postern.apps.sessions.sessions.queries.grants import (
    grant_of,
    login_name_of,
    read_login_name,
    standing_of,
    token_exists,
)
from postern.apps.sessions.sessions.queries.sessions import live_sessions, session_rows
from postern.apps.sessions.terminals.queries import (
    Credential,
    credential_of,
    credentials_a_minute,
    proxy_endpoints,
    proxy_settings,
    reported_ssh_port,
    require_a_proxy,
    stream_address_of,
    terminal_by_credential,
    terminal_for_browser,
)

__all__ = [
    "Credential",
    "credential_of",
    "credentials_a_minute",
    "grant_of",
    "live_sessions",
    "login_name_of",
    "proxy_endpoints",
    "proxy_settings",
    "read_login_name",
    "reported_ssh_port",
    "require_a_proxy",
    "session_rows",
    "standing_of",
    "stream_address_of",
    "terminal_by_credential",
    "terminal_for_browser",
    "token_exists",
]
