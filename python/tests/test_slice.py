"""Whole slices as arrays."""

import numpy as np
import pytest

import alquerque


def test_numbers_lead_to_positions_and_back(tables):
    for material in ("2v1", "1v2", "1v1"):
        slice = tables.slice(material)
        assert (slice.material, slice.rules, repr(slice)) == (
            material,
            tables.rules,
            f"<Slice {material} rules='{tables.rules}'>",
        )
        entries = np.arange(len(slice))
        positions = slice.unrank(entries)
        assert positions.white.dtype == np.uint32 and positions.side.dtype == np.uint8
        states = {"no_west": positions.no_west, "no_east": positions.no_east}
        assert np.array_equal(slice.rank(*positions[:3], **states), entries)
        verdicts = slice.verdicts()
        expected = tables.probe_many(*positions[:3], **states)
        for found, known in zip(verdicts, expected):
            assert np.array_equal(found, known)
        assert np.array_equal(slice.values(), verdicts.value)
        assert np.array_equal(slice.values(10, 20), verdicts.value[10:20])


def test_either_colour_may_be_to_move(classic):
    slice = classic.slice("2v1")
    positions = slice.unrank([5, 7])

    def turned(sets):
        return [int(f"{bits:025b}"[::-1], 2) for bits in sets]

    assert slice.rank(turned(positions.black), turned(positions.white), 1 - positions.side).tolist() == [5, 7]


def test_batches_cover_the_slice(classic):
    slice = classic.slice("2v2")
    sizes, values = [], []
    for positions, verdicts in slice.batches(1000):
        sizes.append(len(positions.white))
        values.append(verdicts.value)
    assert sum(sizes) == len(slice) and set(sizes[:-1]) == {1000}
    assert np.array_equal(np.concatenate(values), slice.values())


def test_bad_requests(classic):
    slice = classic.slice("2v1")
    with pytest.raises(ValueError, match="not a material"):
        classic.slice("2")
    with pytest.raises(alquerque.MissingTableError):
        classic.slice("5v4")
    with pytest.raises(alquerque.PositionError, match="position 1: it is not of the slice 2v1"):
        slice.rank([3, 3], [4, 24], [0, 0])
    with pytest.raises(IndexError, match="out of range"):
        slice.unrank([0, len(slice)])
    with pytest.raises(IndexError, match="out of range"):
        slice.unrank([-1])
    with pytest.raises(IndexError):
        slice.values(0, len(slice) + 1)
    with pytest.raises(ValueError, match="at least one position"):
        slice.batches(0)
