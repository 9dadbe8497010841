"""Errors of gateways."""

from postern.kernel.errors import PosternError


class LastGateway(PosternError):
    """Without this gateway the assets of its domain would be connected to directly."""

    code = "last_gateway"


class GatewayUnusable(PosternError):
    """The gateway has no account or no secret to sign in with."""

    code = "credential_missing"
