from postern.foundation.requests import request_memory


def test_value_is_computed_once_for_a_request_and_again_for_the_next() -> None:
    values = iter(range(10))

    def read() -> int:
        return next(values)

    with request_memory.of_request():
        assert [request_memory.kept("a", read) for _ in range(3)] == [0, 0, 0]
        assert request_memory.kept("b", read) == 1
        request_memory.forget("a")
        assert request_memory.kept("a", read) == 2
    with request_memory.of_request():
        assert request_memory.kept("a", read) == 3


def test_nothing_is_cached_outside_of_requests() -> None:
    values = iter(range(10))
    assert [request_memory.kept("a", lambda: next(values)) for _ in range(2)] == [0, 1]
    request_memory.forget("a")
    with request_memory.of_request():
        request_memory.kept("a", lambda: next(values))
    assert request_memory.kept("a", lambda: next(values)) == 3
