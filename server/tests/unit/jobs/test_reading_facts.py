"""What is stored of a host's answer about its hardware."""

from postern.apps.jobs.facts.reading import read_facts

NONCE = "abc"


def answer(*lines: tuple[str, str]) -> bytes:
    return "".join(f"{NONCE}\t{name}\t{value}\n" for name, value in (*lines, ("end", "1"))).encode()


def test_characters_that_hide_or_reverse_text_are_stored_as_their_codes() -> None:
    facts = read_facts(
        answer(("vendor", "a\u202egnp.exe"), ("os_name", "x\u200by\u2066"), ("disk", "s\u202dd 2097152")), NONCE
    )
    assert facts == {
        "vendor": "a\\u202egnp.exe",
        "os": "x\\u200by\\u2066",
        "disk_total": "1.0 GiB",
        "disk_info": "s\\u202dd: 1.0 GiB",
    }


def test_number_and_size_of_disks_are_bounded() -> None:
    disks = [("disk", f"d{number} 2097152") for number in range(600)]
    facts = read_facts(answer(*disks), NONCE)
    assert facts is not None
    assert facts["disk_total"] == "512.0 GiB"
    repeated = read_facts(answer(("disk", "sda 2097152"), ("disk", "sda 2097152"), ("disk", f"sdb {2**53}")), NONCE)
    assert repeated == {"disk_total": "1.0 GiB", "disk_info": "sda: 1.0 GiB"}
