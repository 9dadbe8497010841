"""Sentences of the menu of assets."""

from postern.proxies.core.spoken import Spoken


class MenuText(Spoken):
    """What the menu shows."""

    TITLE = ("欢迎使用 Postern，{name}。", "Welcome to Postern, {name}.")
    INTRO = (
        "输入序号、名称或地址即可登录；/文字 搜索；? 查看帮助；q 退出。",
        "Type a number, a name or an address to connect; /text to search; ? for help; q to leave.",
    )
    HELP = (
        (
            "  序号、名称或 IP   登录该资产\r\n"
            "  /文字             按名称、地址或备注搜索\r\n"
            "  /                 清除搜索\r\n"
            "  p                 显示列表\r\n"
            "  n / b             下一页 / 上一页\r\n"
            "  r                 刷新\r\n"
            "  ?                 帮助\r\n"
            "  q 或 Ctrl-D       退出\r\n"
            "直接登录：ssh -p {port} {user}=系统用户=资产@{host}（也可用 @ 代替 =）"
        ),
        (
            "  number, name or address   connect\r\n"
            "  /text                     search in names, addresses and comments\r\n"
            "  /                         clear the search\r\n"
            "  p                         show the list\r\n"
            "  n / b                     next / previous page\r\n"
            "  r                         refresh\r\n"
            "  ?                         this help\r\n"
            "  q or Ctrl-D               leave\r\n"
            "Straight to a host: ssh -p {port} {user}=SYSTEMUSER=ASSET@{host} (or with @ instead of =)"
        ),
    )
    PROMPT = ("资产> ", "asset> ")
    EMPTY = ("没有你可以登录的资产。", "There is no asset that you may reach.")
    NOTHING_FOUND = ("没有找到与“{search}”匹配的资产。", "No asset matches “{search}”.")
    NO_SUCH_NUMBER = ("没有序号 {number}。", "There is no number {number}.")
    PAGE = ("第 {page}/{pages} 页，共 {count} 个资产", "Page {page} of {pages}, {count} in total")
    SEARCHING = ("搜索：{search}", "Search: {search}")
    COLUMN_NUMBER = ("序号", "No.")
    COLUMN_NAME = ("名称", "Name")
    COLUMN_ADDRESS = ("地址", "Address")
    COLUMN_ORG = ("组织", "Organization")
    COLUMN_COMMENT = ("备注", "Comment")
    CHOOSE_SYSTEM_USER = ("{asset} 的系统用户：", "System users of {asset}:")
    SYSTEM_USER_PROMPT = ("系统用户（序号或名称，回车取消）> ", "system user (number or name, Enter to cancel)> ")
    NO_SYSTEM_USER = ("该资产没有可用的系统用户。", "No system user may be used on this asset.")
    SEVERAL = ("有多个匹配的资产，选择一个：", "Several assets match, please choose:")
    SHUTDOWN = ("服务正在关闭。稍后重新连接。", "The service is shutting down. Please connect again in a moment.")
    GOODBYE = ("再见。", "Good-bye.")
    BACK = ("会话已结束，已返回资产列表。", "The session has ended. You are back in the asset menu.")
