#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The metrics of two tensors in NumPy, block by block with double sums, as a careful user would write them:
cosine, Euclidean distance, largest absolute and relative error, shares within 0.1 % and 0.5 %, both norms,
largest distance in steps of the type.

    numpy_metrics.py BYTES ROUNDS      BYTES of each tensor

Prints "numpy dtype=… seconds=…" lines; "numpy missing" where NumPy is not installed.
"""
import sys
import time

try:
    import numpy as np
except ImportError:
    print("numpy missing")
    sys.exit(0)

BLOCK = 1 << 16  # elements: fits the second-level cache


def make(dtype, size):
    rng = np.random.default_rng(1)
    if dtype == "float32":
        golden = rng.integers(0, 1 << 32, size // 4, dtype=np.uint32) & 0x80ffffff | 0x3f000000
        return golden, golden ^ rng.integers(0, 8, size // 4, dtype=np.uint32)
    high = 0x3f00 if dtype == "bfloat16" else 0x3800
    golden = rng.integers(0, 1 << 16, size // 2, dtype=np.uint16) & 0x80ff | high
    return golden, golden ^ rng.integers(0, 2, size // 2, dtype=np.uint16)


def values(bits, dtype):
    if dtype == "float32":
        return bits.view(np.float32)
    if dtype == "float16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def ordered(bits):
    """Floats as integers in the order of their values."""
    kind = np.int32 if bits.dtype == np.uint32 else np.int16
    top = kind(np.iinfo(kind).max)
    whole = bits.view(kind)
    return np.where(whole < 0, -(whole & top).astype(np.int64), whole.astype(np.int64))


def metrics(golden, target, dtype):
    dot = golden_sum = target_sum = difference_sum = 0.0
    largest = largest_relative = 0.0
    within = [0, 0]
    steps = 0
    for at in range(0, len(golden), BLOCK):
        b, n = golden[at:at + BLOCK], target[at:at + BLOCK]
        steps = max(steps, int(np.abs(ordered(b) - ordered(n)).max()))
        b, n = values(b, dtype).astype(np.float64), values(n, dtype).astype(np.float64)
        difference = np.abs(n - b)
        size = np.abs(b)
        dot += np.dot(n, b)
        golden_sum += np.dot(b, b)
        target_sum += np.dot(n, n)
        difference_sum += np.dot(difference, difference)
        largest = max(largest, difference.max())
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(size > 0, difference / size, 0)
        largest_relative = max(largest_relative, relative.max())
        within[0] += np.count_nonzero(difference <= 0.001 * size)
        within[1] += np.count_nonzero(difference <= 0.005 * size)
    return dot / (golden_sum * target_sum) ** 0.5, difference_sum ** 0.5, largest, largest_relative, within, steps


def main():
    size, rounds = int(sys.argv[1]), int(sys.argv[2])
    for dtype in ("float32", "bfloat16", "float16"):
        golden, target = make(dtype, size)
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            metrics(golden, target, dtype)
            times.append(time.perf_counter() - start)
        print("numpy dtype=%s seconds=%.6f version=%s" % (dtype, sorted(times)[rounds // 2], np.__version__), flush=True)
        del golden, target


if __name__ == "__main__":
    main()
