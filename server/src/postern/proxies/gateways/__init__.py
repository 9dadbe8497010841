"""The ways from the proxy to targets: directly, or through SSH gateways. The one place that dials for sessions.

Protocols reach it through `core.opening.outbound`, and know only the connection that comes back (`core.targets.wires`).
"""
