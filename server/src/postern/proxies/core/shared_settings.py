"""The settings that all proxies share, as the last heartbeat brought them."""

from postern.contracts.terminals import HeartbeatAnswer, ProxySettings


class SharedSettings:
    """Holds the latest `ProxySettings`; until the first heartbeat defaults, in the language that this machine is set to."""

    def __init__(self, language: str = "zh-hans") -> None:
        self.current = ProxySettings(language=language)

    def take(self, answer: HeartbeatAnswer) -> None:
        self.current = answer.settings
