"""Sentences about files of SSH hosts, in addition to those of `core.texts`."""

from postern.proxies.core.spoken import Spoken


class Text(Spoken):
    """What the file manager shows."""

    NO_SFTP = (
        "主机不提供文件传输（SFTP）。请联系主机管理员启用 SFTP 子系统，或使用终端。",
        "The host offers no file transfer (SFTP). Ask its administrator to enable the SFTP subsystem, or use a terminal.",
    )
    NOT_FOUND = ("文件或目录不存在。", "There is no such file or folder.")
    DENIED = ("主机拒绝访问：该账号没有权限。", "The host refuses this: the account may not do it.")
    UNSUPPORTED = ("主机不支持此操作。", "The host does not support this.")
    EXISTS = ("已存在同名的文件或目录。", "Something with this name exists already.")
    NOT_EMPTY = ("目录不为空。", "The folder is not empty.")
    NO_ROOM = ("主机的磁盘已满。", "The disk of the host is full.")
    FAILED = ("主机未能完成操作：{words}", "The host could not do it: {words}")
    NO_REASON = ("未说明原因", "it gives no reason")
    NOT_A_FILE = ("这不是普通文件。", "This is no ordinary file.")
    NOT_A_FOLDER = ("这不是目录。", "This is no folder.")
    NONSENSE = ("主机的回答无法识别。", "The host answered something that is no SFTP.")
    SHRANK = ("文件在读取时变小了。", "The file became shorter while it was read.")
