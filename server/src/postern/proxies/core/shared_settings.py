"""The settings that all proxies share, as the last heartbeat brought them."""

from postern.contracts.terminals import HeartbeatAnswer, ProxySettings


class SharedSettings:
    """Holds the latest `ProxySettings`; defaults until the first heartbeat."""

    def __init__(self) -> None:
        self.current = ProxySettings()

    def take(self, answer: HeartbeatAnswer) -> None:
        self.current = answer.settings
