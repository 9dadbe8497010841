import random
import tracemalloc

import pytest

from postern.contracts.vt import Screen
from unit.contracts.vt.vt_fuzz import fragment, state

SIZES = ((80, 24), (20, 5), (2, 1), (7, 3), (132, 43))


@pytest.mark.parametrize("seed", range(40))
def test_snapshot_of_random_output_replayed_gives_an_equal_screen(seed: int) -> None:
    source = random.Random(seed)
    columns, rows = SIZES[seed % len(SIZES)]
    screen = Screen(columns, rows)
    for step in range(1, 601):
        screen.feed(fragment(source))
        if step % 20 == 0:
            copy = Screen(columns, rows)
            copy.feed(b"left over\x1b[5mtext\x1b[?1049h\x1b(0")
            copy.feed(screen.snapshot())
            assert state(copy) == state(screen), (seed, step)
            copy.feed(screen.pending())
            assert copy.at_ground == screen.at_ground
    assert screen.faults == 0


@pytest.mark.parametrize("seed", range(20))
def test_k43_random_output_never_raises_and_memory_stays_bounded(seed: int) -> None:
    source = random.Random(seed)
    screen = Screen(*SIZES[seed % len(SIZES)])
    tracemalloc.start()
    try:
        for step in range(3000):
            screen.feed(fragment(source))
            if step % 50 == 0:
                screen.resize(source.choice((0, 1, 2, 10, 80, 200)), source.choice((0, 1, 2, 10, 24, 60)))
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert screen.faults == 0
    assert used < 8_000_000


def test_feed_cut_anywhere_gives_the_same_screen() -> None:
    for seed in range(20):
        source = random.Random(seed)
        data = b"".join(fragment(source) for _ in range(300))
        whole, cut = Screen(40, 10), Screen(40, 10)
        whole.feed(data)
        position = 0
        while position < len(data):
            size = source.randint(1, 5)
            cut.feed(data[position : position + size])
            position += size
        assert state(cut) == state(whole), seed
