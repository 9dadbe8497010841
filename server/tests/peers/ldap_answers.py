"""Answers of an LDAP server in bytes, for servers that misbehave."""

from postern.integrations.directory import ber, messages


def message(number: int, operation: bytes) -> bytes:
    return messages.message(number, operation)


def result(tag: int, number: int, code: int = 0) -> bytes:
    return message(number, ber.element(tag, ber.integer(code, ber.ENUMERATED), ber.octets(""), ber.octets("")))


def entry(number: int, dn: str, **attributes: list[str]) -> bytes:
    pairs = (
        ber.element(ber.SEQUENCE, ber.octets(name), ber.element(ber.SET, *map(ber.octets, values)))
        for name, values in attributes.items()
    )
    return message(number, ber.element(messages.SEARCH_ENTRY, ber.octets(dn), ber.element(ber.SEQUENCE, *pairs)))
