"""Limits of ways through gateways."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GatewayLimits:
    """Times in seconds."""

    answer_s: float = 8.0  # one gateway: connection, key exchange and sign-in, without the control plane's answers
    way_s: float = 45.0  # the whole way to the target, with all gateways that are tried
    failed_s: float = 60.0  # how long a gateway that failed is tried after the others of its stage
    failed_kept: int = 1000  # number of gateways whose failure is remembered
    # A gateway that stops answering is noticed after the product, before a target that does (`ssh/target.py`).
    keepalive_s: float = 20.0
    keepalive_count: int = 3
    goodbye_s: float = 5.0  # how long the last data may take after a protocol has closed its connection
