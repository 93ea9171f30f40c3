#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two tables of curves compared in pandas as a careful user would write it: the loss at common steps, its difference and
relative error, both smoothed by a median and a mean, the band of the difference's scatter, when it is left for good, and
quantiles of losses and norms. Prints one line; "pandas missing" where it is not installed.

    pandas_curves.py GOLDEN TARGET
"""
import sys

try:
    import pandas as pd
except ImportError:
    print("pandas missing")
    sys.exit(0)

WINDOW = 21  # steps of the median, then of the mean

golden, target = (pd.read_csv(path) for path in sys.argv[1:3])
both = golden.merge(target, on="step", suffixes=("_g", "_t"))
says = []
for name in ("loss", "grad_norm"):
    one, other = both[name + "_g"], both[name + "_t"]
    difference = other - one
    smooth = difference.rolling(WINDOW, center=True, min_periods=1).median().rolling(WINDOW, center=True, min_periods=1).mean()
    scatter = (one - one.rolling(WINDOW, center=True, min_periods=1).mean()).std()
    outside = smooth.abs() > 3 * scatter
    relative = (difference / one).abs()
    says += [name, float(relative.mean()), int(outside.sum()), float(difference.tail(len(both) // 5).mean()),
             *map(float, one.quantile([0.05, 0.5, 0.95])), *map(float, other.quantile([0.05, 0.5, 0.95]))]
print("pandas", *says)
