#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two runs of a small function through jax_hook.py, the second with a defect: its second block is scaled.

    try-jax.py OUT [--tensors]
    vernier compare OUT/golden OUT/target
"""
import sys

import jax
import jax.numpy as jnp

from jax_hook import Dump


def run(folder, scale, tensors):
    keys = jax.random.split(jax.random.PRNGKey(1), 4)
    weights = [jax.random.normal(key, (16, 16)) / 4 for key in keys[1:]]
    with Dump(folder, tensors=tensors) as dump:
        @jax.jit
        def model(x):
            for i, w in enumerate(weights):
                name = "blocks.%d.dense" % i
                dump.input(name, x, kernel=w)
                x = dump.output(name, jnp.tanh(x @ w) * (scale if i == 1 else 1.0))
            return x
        model(jax.random.normal(keys[0], (4, 16))).block_until_ready()


if __name__ == "__main__":
    run(sys.argv[1] + "/golden", 1.0, "--tensors" in sys.argv)
    run(sys.argv[1] + "/target", 1.01, "--tensors" in sys.argv)
