#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A notebook's worth of vernier: python3 samples/python/example.py [GOLDEN TARGET]"""
import os
import sys

import vernier

HERE = os.path.dirname(os.path.abspath(__file__))
golden, target = sys.argv[1:3] or [os.path.join(HERE, "..", "gpt", side) for side in ("golden", "target")]

# 1. Where do the runs part?
result = vernier.compare(golden, target, progress=lambda done, pairs, file: print("… pair %d of %d" % (done, pairs), file=sys.stderr))
print(result.verdict)

# 2. How much was compared?
for part in result.coverage:
    print("step %s, rank %s: %d of %d slots" % (part["step"], part["rank"], part["compared"], part["golden"]["slots"]))

# 3. What is known of the op where they part?
first = result.first_divergence
if first:
    print(first["kind"], first["module"], first["value"])
    print("\n".join(first["observations"]))

# 4. The rows, of all ops: those that are beyond tolerance. With pandas: result.frame()
bad = [row for row in result.rows() if row["Result"] == "error"]
print("%d rows beyond tolerance, the first: %s" % (len(bad), bad[0]["NPU Name"] if bad else "none"))

# 5. What now?
print(result.explain())
