#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Work grows with the input: whole commands, their work counted in basic blocks (tests/growth/counter.h), not in time.

VERNIER names the program that counts; the inputs are those of tests/bench/worst.py. The readers: growth/..., tests/growth/growth.c.
"""
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench"))
import worst  # noqa: E402
from program import VERNIER, main  # noqa: E402

SLOPE = 1.2
COUNT = 400


class Growth(unittest.TestCase):
    def work(self, make, count, more=()):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([VERNIER, *worst.command(make, folder, count), *more], cwd=folder,
                                  env=dict(os.environ, VERNIER_WORK=os.path.join(folder, "work")),
                                  capture_output=True, timeout=300)
            # Nothing to compare or to check is 3, after the work.
            self.assertIn(done.returncode, (0, 1, 3, 4), done.stderr)
            self.assertTrue(done.returncode != 3 or b"report: " in done.stderr, done.stderr)
            with open(os.path.join(folder, "work"), encoding="utf-8") as file:
                return int(file.read())

    def look_at(self, make, more=()):
        small, large = self.work(make, COUNT, more), self.work(make, 4 * COUNT, more)
        self.assertLessEqual(math.log(large / small, 4), SLOPE, (small, large))

    def test_what_make_bench_times_costs_what_its_size_allows(self):
        for name, make, _ in worst.CASES:
            with self.subTest(name):
                self.look_at(make)

    def test_row_tables_of_ranks_without_a_common_row_cost_what_their_rows_do(self):
        self.look_at(worst.stages)

    def test_logs_whose_steps_were_all_skipped_cost_what_their_lines_do(self):
        self.look_at(worst.skipped)

    def test_a_picture_of_curves_costs_what_its_noise_runs_do(self):
        self.look_at(worst.noises)

    def test_a_picture_of_recomputed_modules_costs_what_its_passes_do(self):
        self.look_at(worst.recomputed)

    def test_a_check_of_many_steps_costs_what_its_dumps_hold(self):
        self.look_at(worst.steps)

    def test_a_comparison_with_many_noise_runs_costs_what_they_hold(self):
        self.look_at(worst.noise)

    def test_a_case_study_costs_what_its_logs_do(self):
        self.look_at(worst.study)

    def test_a_draft_of_a_case_costs_what_is_found(self):
        self.look_at(worst.draft)

    def test_a_history_costs_what_its_nights_hold(self):
        self.look_at(worst.nights)
        self.look_at(worst.night_names)

    def test_ranks_that_hand_a_nan_on_cost_what_their_dumps_do(self):
        self.look_at(worst.pipeline)
        self.look_at(worst.births)

    def test_a_check_costs_what_its_ranks_biases_and_frozen_weights_do(self):
        for make in (worst.layout, worst.biases, worst.frozen):
            with self.subTest(make.__name__):
                self.look_at(make)

    def test_two_monitored_runs_cost_what_their_norms_do(self):
        self.look_at(worst.apart)
        self.look_at(worst.monitor_types)
        self.look_at(worst.monitor_ranks)

    def test_logs_of_many_series_epochs_ranks_or_runs_cost_what_they_hold(self):
        for make in (worst.columns, worst.keys, worst.epochs, worst.rank_logs, worst.rank_lines, worst.run_rows, worst.run_columns,
                     worst.starts, worst.like_logs):
            with self.subTest(make.__name__):
                self.look_at(make)

    def test_logs_cost_what_they_hold_however_their_lines_keys_and_steps_are(self):
        for make in (worst.long_lines, worst.loss_keys, worst.rank_steps, worst.restarts, worst.epochs_back, worst.coarse,
                     worst.norm_spikes, worst.monitor_steps, worst.uneven_columns, worst.long_series_keys):
            with self.subTest(make.__name__):
                self.look_at(make)

    def test_configurations_and_lists_of_names_cost_what_they_hold(self):
        for make in (worst.long_keys, worst.anchors, worst.aliases, worst.unclosed, worst.merge_names):
            with self.subTest(make.__name__):
                self.look_at(make)

    def test_runs_ranks_and_recomputed_modules_cost_what_their_dumps_hold(self):
        for make in (worst.runs, worst.api_chain, worst.recomputed_aside, worst.recomputed_deep, worst.weights_before, worst.biases_before,
                     worst.unlike_ranks, worst.shared_matrix, worst.rank_groups, worst.slot_order):
            with self.subTest(make.__name__):
                self.look_at(make)

    def test_a_graph_database_costs_what_its_communications_do(self):
        self.look_at(worst.groups)

    def test_mappings_that_are_written_cost_what_they_hold(self):
        self.look_at(worst.renamed)

    def test_a_merge_costs_what_its_parts_hold(self):
        self.look_at(worst.parts)

    def test_mappings_cost_no_more_under_the_rules_of_msprobe(self):
        for make in (worst.cells, worst.cell_pieces, worst.apis):
            for rules in ("msprobe26", "msprobe8"):
                with self.subTest(make.__name__, rules=rules):
                    self.look_at(make, ("--rules", rules))


if __name__ == "__main__":
    main()
