"""The settings that all proxies share: from heartbeat answers, and from the control channel when they change."""

from postern.contracts.terminals import HeartbeatAnswer, ProxySettings


class SharedSettings:
    """Holds the latest `ProxySettings`. Before the first heartbeat they are defaults in this machine's configured
    language.
    """

    def __init__(self, language: str = "zh-hans") -> None:
        self.current = ProxySettings(language=language)
        self._older: int | None = None

    def take(self, answer: HeartbeatAnswer) -> None:
        """Use the settings of a heartbeat answer.

        An answer that is older than an update of the control channel is ignored once. When the next answer has the same
        version, the control plane has gone back to it, for example because its database was restored.
        """
        version = answer.settings.version
        if version < self.current.version and version != self._older:
            self._older = version
            return
        self._older = None
        self.current = answer.settings

    def update(self, settings: ProxySettings) -> None:
        """Use the settings of an update. An older version is ignored."""
        if settings.version >= self.current.version:
            self.current = settings
