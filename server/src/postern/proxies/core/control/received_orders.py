"""Decodes orders one by one. An order of a newer control plane is told apart from a message that is no order."""

import logging
from typing import Final

import msgspec

from postern.contracts.terminals import HeartbeatAnswer, Order, ReceivedHeartbeatAnswer, SettingsUpdate, UnknownOrder

log = logging.getLogger(__name__)

_MESSAGES: Final[msgspec.json.Decoder[Order | SettingsUpdate]] = msgspec.json.Decoder(Order | SettingsUpdate)
_ORDERS: Final[msgspec.json.Decoder[Order]] = msgspec.json.Decoder(Order)
_UNKNOWN: Final = msgspec.json.Decoder(UnknownOrder)


def read_message(data: bytes | str) -> Order | SettingsUpdate | UnknownOrder | None:
    """Return a message of the control channel. None if it is not readable."""
    try:
        return _MESSAGES.decode(data)
    except msgspec.MsgspecError as error:
        return _read_unknown(data, error)


def read_answer(received: ReceivedHeartbeatAnswer) -> HeartbeatAnswer:
    """Return the answer to a heartbeat with its orders, and apart from them those that this proxy does not know."""
    orders: list[Order] = []
    unknown: list[UnknownOrder] = []
    for raw in received.orders:
        data = bytes(raw)
        try:
            orders.append(_ORDERS.decode(data))
        except msgspec.MsgspecError as error:
            if (order := _read_unknown(data, error)) is not None:
                unknown.append(order)
    return HeartbeatAnswer(
        orders=tuple(orders),
        settings=received.settings,
        over=received.over,
        renew_credential=received.renew_credential,
        unknown_orders=tuple(unknown),
    )


def _read_unknown(data: bytes | str, error: msgspec.MsgspecError) -> UnknownOrder | None:
    log.warning("cannot carry out an unreadable order: %s", error)
    try:
        return _UNKNOWN.decode(data)
    except msgspec.MsgspecError:
        return None
