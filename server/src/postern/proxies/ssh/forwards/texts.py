"""Sentences about port forwarding. Clients show them beside the refused channel."""

from postern.proxies.core.spoken import Spoken


class ForwardText(Spoken):
    """Why a forwarded connection was refused."""

    NEEDS_ASSET = (
        "端口转发需要在登录名中写明资产：用户=系统用户=资产",
        "Port forwarding needs the asset in the user name: USER=SYSTEMUSER=ASSET",
    )
    OTHER_HOST = (
        "只能转发到主机本身（localhost、127.0.0.1、::1 或 {host}）",
        "Only the host itself can be reached: localhost, 127.0.0.1, ::1 or {host}",
    )
    PRIVILEGED_PORT = ("不允许转发到 1024 以下的端口", "Ports below 1024 may not be forwarded")
    BAD_PORT = ("端口 {port} 不存在", "There is no port {port}")
    SSH_PORT = (
        "不允许转发到主机的 SSH 端口：会话会绕过录像",
        "The host's SSH port may not be forwarded: a session would leave the recording",
    )
    PLAIN_PATH = (
        "套接字路径必须是不含“.”和“..”的绝对路径，最长 {most} 字节",
        "The path of a socket must be absolute, without “.” and “..”, and at most {most} bytes long",
    )
    SYSTEM_SOCKET = (
        "不允许转发到系统服务、容器、X11 或密钥代理的套接字",
        "Sockets of system services, containers, X11 and agents may not be forwarded",
    )
    TOO_MANY = (
        "此连接上转发的连接过多（最多 {most} 个）",
        "There are too many forwarded connections on this connection (at most {most})",
    )
    HOST_REFUSED = ("主机未能连接到 {place}：{detail}", "The host could not connect to {place}: {detail}")
    HOST_SILENT = ("主机未在 {seconds} 秒内连接到 {place}", "The host did not connect to {place} within {seconds} s")
