"""Arrays of whole numbers, as the extension module wants them."""

import numpy as np


def column(name, values, dtype, length=None):
    """``values`` as a contiguous array of ``dtype``; a single number stands for ``length`` equal ones."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name}: a masked array cannot say what its hidden numbers are; fill or compress it first")
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(dtype)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: whole numbers are needed, not {array.dtype}")
    if array.ndim == 0 and length is not None:
        array = np.full(length, array)
    if array.ndim != 1:
        raise ValueError(f"{name}: an array of one dimension is needed, not of {array.ndim}")
    if length is not None and len(array) != length:
        raise ValueError(f"{name}: {length} numbers are needed, not {len(array)}")
    limits = np.iinfo(dtype)
    if array.dtype != dtype and len(array) and not limits.min <= array.min() <= array.max() <= limits.max:
        raise ValueError(f"{name}: numbers from {limits.min} to {limits.max} are needed")
    return np.ascontiguousarray(array, dtype=dtype)


def batches(slice, size):
    """The positions of a slice and their verdicts, ``size`` at a time."""
    if size < 1:
        raise ValueError(f"a batch has at least one position, not {size}")
    return _batches(slice, size)


def _batches(slice, size):
    for start in range(0, len(slice), size):
        stop = min(start + size, len(slice))
        yield slice.unrank(np.arange(start, stop)), slice.verdicts(start, stop)
