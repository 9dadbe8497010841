from uuid import UUID

import pytest

from postern.apps.assets.domains import chains

A, B, C, D, E = (UUID(int=number) for number in range(1, 6))
ROW = {A: B, B: C, C: D, D: None, E: None}


def test_way_leads_from_the_domain_outwards() -> None:
    assert chains.way_to(A, ROW) == [A, B, C, D]
    assert chains.way_to(E, ROW) == [E]


@pytest.mark.parametrize("start", [A, B, C])
def test_circle_is_found_from_each_of_its_domains(start: UUID) -> None:
    links = {A: B, B: C, C: A, D: A}
    assert chains.is_circular(start, links)
    assert not chains.is_circular(D, links)
    assert len(chains.way_to(start, links)) == chains.MAX_STAGES + 1


@pytest.mark.parametrize(("domain", "length"), [(A, 4), (B, 4), (D, 4), (E, 1)])
def test_longest_way_counts_the_domains_on_both_sides(domain: UUID, length: int) -> None:
    assert chains.longest_way_over(domain, ROW) == length
    assert chains.longest_way_over(domain, {**ROW, D: E}) == (length + 1 if domain != E else 5)
