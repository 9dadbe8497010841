"""The settings that all proxies share, from the last heartbeat's answer."""

from postern.contracts.terminals import HeartbeatAnswer, ProxySettings


class SharedSettings:
    """Holds the latest `ProxySettings`. Before the first heartbeat they are defaults in this machine's configured
    language.
    """

    def __init__(self, language: str = "zh-hans") -> None:
        self.current = ProxySettings(language=language)

    def take(self, answer: HeartbeatAnswer) -> None:
        self.current = answer.settings
