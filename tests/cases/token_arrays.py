#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arrays of tokens that a trainer saved, checked by themselves: step_N/rank_N/{tokens,labels,loss_mask,position_ids}.npy."""
import os
import random
import struct

from program import Case, main, run

ROWS, COLUMNS, STARTS, BOS, EOS, PAD, IGNORE = 2, 48, (0, 20, 32), 1, 2, 0, -100
CONFIG = "vocab_size: 500\nbos_token_id: 1\neos_token_id: 2\npad_token_id: 0\n"


def batch(*seed):
    """Two rows of packed sequences, the second padded."""
    rng = random.Random("/".join(map(str, seed)))
    out = {"tokens": [], "labels": [], "loss_mask": [], "position_ids": []}
    for row in range(ROWS):
        end = COLUMNS if row == 0 else 44
        tokens = [BOS if i in STARTS else EOS if i + 1 in STARTS + (end,) else rng.randrange(3, 500) if i < end else PAD for i in range(COLUMNS)]
        labels = [tokens[i + 1] if i + 1 < end and i + 1 not in STARTS else IGNORE for i in range(COLUMNS)]
        out["tokens"] += tokens
        out["labels"] += labels
        out["loss_mask"] += [label != IGNORE for label in labels]
        out["position_ids"] += [i - max(start for start in STARTS if start <= i) for i in range(COLUMNS)]
    return out


class TokenArrays(Case):
    def make(self, spoil=lambda step, rank, arrays: None, names=None):
        for step in range(2):
            for rank in range(2):
                arrays = batch(step, rank)
                spoil(step, rank, arrays)
                for name, values in arrays.items():
                    head = b"{'descr': '<i8', 'fortran_order': False, 'shape': (%d, %d), }" % (ROWS, COLUMNS)
                    head += b" " * (117 - len(head)) + b"\n"
                    self.write("data/step_%d/rank_%d/%s.npy" % (step, rank, (names or {}).get(name, name)),
                               b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%dq" % len(values), *values))
        return self.path("data")

    def check(self, said, code, *options, **how):
        done = run("check", self.make(**how), "-o", self.path("out.json"), *options)
        self.assertRegex(done[2], said)
        self.assertEqual(done[0], code)

    def test_clean_batches_hold(self):
        self.check("HOLDS .*: 5 of 5 invariants that can be seen here hold", 0, "--vocab-size", "500")

    def test_a_rank_without_the_array_of_tokens_leaves_the_verdict_partial(self):
        def spoil(step, rank, arrays):
            if rank == 1 and step == 0:
                del arrays["tokens"]
        self.check("PARTIAL.*hold. dumps without the array of tokens that others have: 1, the first that of step 0, rank 1", 4, "--vocab-size", "500", spoil=spoil)

    def test_an_id_beyond_the_vocabulary_is_named_with_its_place(self):
        def spoil(step, rank, arrays):
            if (step, rank) == (1, 0):
                arrays["tokens"][COLUMNS + 7] = arrays["labels"][COLUMNS + 6] = 700
        self.check(r"tokens\[1, 7\] is 700, not below .* 500 \(step 1, rank 0\)", 1, "--vocab-size", "500", spoil=spoil)
        self.check("HOLDS", 0, spoil=spoil)
        self.check("BROKEN", 1, "--run-config", self.write("run.yaml", CONFIG), spoil=spoil)

    def test_a_negative_id_is_none_but_the_ignore_index_of_labels_is_right(self):
        def spoil(step, rank, arrays):
            arrays["tokens"][5] = arrays["labels"][4] = -1
        self.check(r"tokens\[0, 5\] is -1", 1, spoil=spoil)

    def test_labels_that_nobody_shifted_are_told(self):
        def spoil(step, rank, arrays):
            arrays["labels"] = [IGNORE if label == IGNORE else token for token, label in zip(arrays["tokens"], arrays["labels"])]
        self.check("labels that count are the tokens themselves", 1, spoil=spoil)
        self.check("HOLDS", 0, spoil=spoil, names={"tokens": "input_ids"})

    def test_a_mask_that_counts_padding_is_told(self):
        self.check("1 at 10 of 96 positions", 1, spoil=lambda step, rank, arrays: arrays.update(loss_mask=[1] * (ROWS * COLUMNS)))

    def test_positions_that_run_through_packed_sequences_are_told(self):
        self.check("do not restart at 4 of 4 starts", 1, spoil=lambda step, rank, arrays: arrays.update(position_ids=list(range(COLUMNS)) * ROWS))

    def test_a_batch_that_two_ranks_or_steps_have_is_told(self):
        self.check("rank 1 has the same tokens as rank 0", 1, spoil=lambda step, rank, arrays: arrays.update(batch(step, rank * (1 - step))))
        self.check("the same tokens as in step 0, rank 1", 1, spoil=lambda step, rank, arrays: arrays.update(batch(step * (1 - rank), rank)))
        def one_batch(step, rank, arrays):
            arrays.update(batch(step, 0))
        # Ranks with one batch in every step may share the weights, unless the layout says that they are copies.
        for layout, said, code in (((), "HOLDS", 0), (("--layout", "tp=2"), "HOLDS", 0), (("--layout", "dp=2"), "rank 1 has the same tokens as rank 0", 1)):
            self.check(said, code, *layout, spoil=one_batch)


if __name__ == "__main__":
    main()
