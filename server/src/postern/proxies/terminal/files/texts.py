"""Sentences of the file manager, in addition to those of `core.texts`."""

from postern.proxies.core.spoken import Spoken


class Text(Spoken):
    """What the page shows when an operation fails."""

    NO_SESSION = ("没有可用的文件会话，请重新连接。", "There is no such session for files. Connect again.")
    SESSION_OVER = ("会话已结束，请重新连接。", "The session has ended. Connect again.")
    UNKNOWN_OPERATION = (
        "文件管理器没有此操作，请刷新页面。",
        "The file manager has no such operation. Reload the page.",
    )
    BAD_BODY = ("请求内容无法识别，请刷新页面。", "The page sent something unexpected. Reload it.")
    BAD_PATH = ("路径无效，请刷新列表。", "This is no path. Reload the folder.")
    PATH_LONG = (
        "文件夹的路径超过 {bytes} 字节，无法读取。",
        "The path of the folder has more than {bytes} bytes, so it cannot be read.",
    )
    NO_PATH = ("没有选择任何文件。", "No file was chosen.")
    TOO_MANY = (
        "此会话中同时进行的操作过多。请等待其中一些完成后再试。",
        "Too many operations run at once. Wait until some of them have ended, and try again.",
    )
    FAILED_HERE = ("操作因内部错误而失败，请重试。", "The operation failed because of an internal error. Try again.")
    NAME_EMPTY = ("请输入名称。", "Enter a name.")
    NAME_RESERVED = ("“{name}”不能用作名称。", "“{name}” cannot be a name.")
    NAME_SLASH = ("名称不能包含“/”。", "A name must not contain “/”.")
    NAME_NUL = ("名称不能包含 NUL 字符。", "A name must not contain a NUL character.")
    NAME_LONG = (
        "名称过长：主机上为 {bytes} 字节，最多 255 字节。",
        "The name is too long: {bytes} bytes on the host, at most 255 are allowed.",
    )
    NAME_CHARSET = (
        "名称中有些字符在此主机的字符集（{charset}）中不存在。",
        "The host's character set ({charset}) lacks some characters of the name.",
    )
    NOT_A_FOLDER = ("“{name}”不是文件夹。", "“{name}” is not a folder.")
    NOT_A_FILE = ("“{name}”不是普通文件，无法读取。", "“{name}” is not a regular file, so it cannot be read.")
    SIZE_UNKNOWN = ("主机没有说明“{name}”的大小。", "The host does not state the size of “{name}”.")
    BAD_RANGE = ("请求的范围超出文件。", "The file does not have the part that was asked for.")
    SHRANK = ("文件在读取过程中变短了。", "The file became shorter while it was read.")
    CHANGED = (
        "文件在读取之后已被更改。请重新加载后再编辑。",
        "The file has changed since it was read. Reload it, then edit it again.",
    )
    NO_IF_MATCH = ("保存时必须说明所编辑的版本，请重新加载文件。", "Reload the file before you save it.")
    TEXT_TOO_LARGE = (
        "“{name}”超过 {megabytes} MiB，不能在此处打开。请下载后查看。",
        "“{name}” is larger than {megabytes} MiB and cannot be opened here. Download it instead.",
    )
    BODY_TOO_LARGE = ("内容过大。", "This is too large.")
    IS_BINARY = (
        "“{name}”不是文本文件，不能在此处打开。请下载后查看。",
        "“{name}” is not a text file and cannot be opened here. Download it instead.",
    )
    TEXT_CHARSET = (
        "文本中有些字符在此文件的字符集（{charset}）中不存在：{characters}。",
        "The character set of this file ({charset}) lacks some characters of the text: {characters}.",
    )
    NOT_A_PICTURE = (
        "“{name}”不是可以显示的图片（PNG、JPEG、GIF、WebP、AVIF）。",
        "“{name}” is not a picture that can be shown (PNG, JPEG, GIF, WebP, AVIF).",
    )
    EXISTS = ("“{name}”已存在。", "“{name}” exists already.")
    NOT_REPLACED = (
        "“{name}”已存在，且不是文件，不能替换。",
        "“{name}” exists and is not a file, so it cannot be replaced.",
    )
    BAD_MODE = ("权限必须在 0 到 7777（八进制）之间。", "Permissions are between 0 and 7777 (octal).")
    NOT_THIS_FOLDER = ("不能删除此文件夹。", "This folder cannot be deleted.")
    BAD_SIZE = ("文件的大小或时间无效。", "The size or the time of the file makes no sense.")
    UPLOAD_GONE = ("此上传已不存在，请重新开始。", "This upload does not exist any more. Begin again.")
    UPLOAD_CONTINUES = (
        "上传应从第 {offset} 字节继续。",
        "The upload continues at byte {offset}.",
    )
    UPLOAD_SIZE = (
        "主机上的文件为 {there} 字节，而不是 {expected} 字节。请重新上传。",
        "The host has {there} bytes of the file instead of {expected}. Upload it again.",
    )
    NO_ROOM = (
        "主机的磁盘空间不足：需要 {needed} 字节，剩余 {free} 字节。",
        "The host's disk has too little room: {needed} bytes are needed, {free} are free.",
    )
    MISSING_LINK = ("符号链接，指向 {target}", "symbolic link to {target}")
    MISSING_OTHER = ("设备、管道或套接字", "device, pipe or socket")
    MISSING_SHORT = (
        "不完整：读取过程中文件变短，共 {size} 字节，得到 {got} 字节",
        "incomplete: it became shorter while it was read, {got} of {size} bytes",
    )
    MISSING_FULL = (
        "此 zip 压缩包的条目数已达上限，从此处起的内容均未包含。请改用 tar 格式下载",
        "the zip archive takes no more entries, so everything from here on is missing: download it as tar",
    )
    MISSING_TITLE = ("以下内容未完整包含在此压缩包中：", "This archive does not contain, or not completely:")
    MISSING_MORE = ("……以及另外 {count} 项", "… and {count} more")
