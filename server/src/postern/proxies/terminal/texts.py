"""Sentences of the browser endpoint, in addition to those of `core.texts`."""

from postern.proxies.core.spoken import Spoken


class Text(Spoken):
    """What a page shows."""

    NOT_UNDERSTOOD = ("客户端消息无法识别，请刷新页面。", "The page sent something unexpected. Reload it.")
    TOO_LATE = ("客户端没有及时响应，请重新连接。", "The page did not answer in time. Connect again.")
    WRONG_PERSON = ("此连接令牌属于其他用户。", "This connection token belongs to somebody else.")
    SESSION_GONE = ("会话已不存在，请重新连接。", "The session does not exist any more. Connect again.")
    TOO_MUCH_INPUT = (
        "页面发送输入的速度超过目标主机的接收速度。请刷新页面并重新连接。",
        "The page sent input faster than the target takes it. Reload the page and connect again.",
    )
    TAKEN_OVER = ("会话已在另一处恢复。", "The session was taken up again elsewhere.")
    NO_FILES = (
        "此代理没有文件管理器的端点。可联系管理员。",
        "This proxy has no endpoint for the file manager. Ask an administrator.",
    )
