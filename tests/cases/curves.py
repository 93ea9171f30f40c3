#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command `vernier curves` as users call it: what each kind of damage costs and how it is said,
roles, joined files, outputs, and logs made here with planted defects at places that change with the
seed. With the sample set beside the repository its expected values are checked too.

VERNIER names the program, SHARED the folder of the sample set (may be absent).
"""
import csv
import hashlib
import json
import math
import os
import random
import struct
import xml.etree.ElementTree
import zipfile

import program
from program import DATA, SHARED, main, needs_samples

SEEDS = (1, 2)


def run(*arguments, **environment):
    code, _, err = program.run("curves", *arguments, **environment)
    return code, err.strip().split("\n")


def megatron(step, total, loss, norm=1.0, rate=1e-5, skipped=0, nan=0, stamp=None):
    line = " [%s]" % stamp if stamp else ""
    line += " iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): 1250.0 |" % (step, total, step * 32)
    line += " learning rate: %.6E | global batch size:    32 |" % rate
    line += "" if loss is None else " lm loss: %.6E |" % loss
    line += " loss scale: 1.0 |" + ("" if norm is None else " grad norm: %.3f |" % norm)
    return line + " number of skipped iterations: %3d | number of nan iterations: %3d |" % (skipped, nan)


def mindformers(step, total, loss, norm, rate=1e-5, rank_time=0):
    return ("2025-05-06 07:%02d:%02d,101 - mindformers[callback.py:485] - INFO - { Epoch:[  1/  1], step:[%5d/%5d], "
            "loss: %5.3f, per_step_time: 8200ms, lr: %r, overflow cond: False, loss_scale: 1.0, global_norm: [%r]" % (
                step // 60 % 60, step % 60, step, total, loss, rate, norm))


class Case(program.Case):
    def summary(self, *arguments, code=None):
        got, lines = run(*arguments, "-o", self.out, "--format", "json")
        if code is not None:
            self.assertEqual(got, code, lines)
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as f:
            return json.load(f), lines

    def series(self, name, *arguments):
        return self.summary(*arguments)[0]["runs"][0]["series"][name]


class Coverage(Case):
    def test_a_verdict_that_does_not_rest_on_all_steps_says_on_how_many(self):
        def log(name, steps, loss):
            return self.write(name, "step,loss\n" + "".join("%d,%.4f\n" % (i, loss(i)) for i in steps))

        def golden_loss(i):
            return 2 + i % 7 / 10

        golden = log("golden.csv", range(1, 401), golden_loss)
        for name, steps, code in (("tenth", range(1, 401, 10), 0), ("late", range(151, 401), 0), ("early", range(1, 200), 4)):
            got, lines = run(golden, log(name + ".csv", steps, golden_loss), "-o", self.out)
            self.assertEqual(got, code, lines)
            self.assertIn("equal at every common step (%d of 400)" % len(steps), lines[-1])
        got, lines = run(golden, log("off.csv", range(1, 401, 10), lambda i: golden_loss(i) + 0.5), "-o", self.out)
        self.assertEqual(got, 1, lines)
        self.assertIn("40 of 400 steps compared", lines[-1])
        got, lines = run(golden, log("whole.csv", range(1, 401), lambda i: golden_loss(i) + 0.5), "-o", self.out)
        self.assertNotIn("of 400", lines[-1])


class Noise(Case):
    def draw(self, numbers, steps, spikes, tau=0):
        """A loss with the noise of a run: by itself from step to step, or wandering; and spikes that fall away."""
        loss, wander, keep = [], 0.01 * numbers.gauss(0, 1), math.exp(-1 / tau) if tau else 0
        for i in range(steps):
            wander = keep * wander + 0.01 * math.sqrt(1 - keep * keep) * numbers.gauss(0, 1)
            loss.append(2 + 2 * math.exp(-5 * i / steps) + (wander if tau else 0.005 * numbers.gauss(0, 1)))
        for _ in range(spikes):
            at, height = numbers.randrange(steps - 10), 0.5 * numbers.expovariate(1)
            for k in range(8):
                loss[at + k] += height * math.exp(-k / 3)
        return loss

    def outside(self, numbers, draws, noise_runs, **of):
        count = 0
        for _ in range(draws):
            steps = numbers.randrange(200, 800)
            spikes = [numbers.randrange(4) if of.get("spiky") else 0 for _ in range(noise_runs + 2)]
            runs = [self.write("run%d.csv" % i, "step,loss\n" + "".join(
                "%d,%.6f\n" % (k + 1, value) for k, value in enumerate(self.draw(numbers, steps, many, of.get("tau", 0)))))
                for i, many in enumerate(spikes)]
            noise = [word for path in runs[2:] for word in ("--noise", path)]
            count += run(runs[0], runs[1], *noise, "-o", self.out, "--format", "json")[0] == 1
        return count

    def test_runs_of_one_recipe_that_spike_at_steps_of_their_own_are_not_outside(self):
        numbers = random.Random(11)
        self.assertLessEqual(sum(self.outside(numbers, 20, runs, spiky=True) for runs in (1, 3)), 1)

    def test_a_run_that_leaves_at_its_very_end_has_no_spike_there(self):
        numbers = random.Random(13)
        runs = [self.draw(numbers, 400, 0) for _ in range(4)]
        runs[1][-6:] = [loss + 1 for loss in runs[1][-6:]]
        paths = [self.write("run%d.csv" % i, "step,loss\n" + "".join("%d,%.6f\n" % (k + 1, v) for k, v in enumerate(loss)))
                 for i, loss in enumerate(runs)]
        self.assertEqual(run(paths[0], paths[1], "--noise", paths[2], "--noise", paths[3], "-o", self.out, "--format", "json")[0], 1)

    def test_runs_whose_noise_wanders_slowly_are_not_outside(self):
        self.assertLessEqual(self.outside(random.Random(17), 100, 1, tau=200), 1)


class Workbook(Case):
    def rows(self, *options):
        path = self.write("a.csv", "step,loss,lr\n" + "".join(
            "%d,%s,1e-5\n" % (i, "77" if i == 60001 else "nan" if i == 70001 else "%.3f" % (2 + i % 7 / 10)) for i in range(1, 120001)))
        self.assertEqual(run(path, "-o", self.out, "--format", "xlsx,csv", *options)[0], 0)
        with open(os.path.join(self.out, "curves.csv"), encoding="utf-8") as f:
            self.assertEqual(sum(1 for _ in f), 120001)
        with zipfile.ZipFile(os.path.join(self.out, "curves.xlsx")) as book:
            sheets = [book.read(n).decode() for n in book.namelist() if n.startswith("xl/worksheets/sheet")]
            text = "".join(book.read(n).decode() for n in book.namelist() if n.endswith(".xml"))
        return max(sheets, key=len), text

    def test_a_sheet_of_many_steps_is_thinned_and_says_so(self):
        sheet, text = self.rows()
        self.assertLess(sheet.count("<row"), 100003)
        self.assertGreater(sheet.count("<row"), 20000)
        for step in (1, 60001, 70001, 120000):
            self.assertIn("<v>%d</v>" % step, sheet)
        self.assertIn("<v>77</v>", sheet)
        self.assertIn("--all-rows writes all", text)
        sheet, text = self.rows("--all-rows")
        self.assertGreater(sheet.count("<row"), 120000)
        self.assertNotIn("--all-rows", text)


class Damage(Case):
    """Each kind is said once, with file, line and count; the rest is used."""

    def said(self, lines, text):
        found = [line for line in lines if text in line]
        self.assertEqual(len(found), 1, lines)

    def test_rows_with_other_numbers_of_cells_are_told(self):
        path = self.write("a.csv", "step,loss\n1,2.0\n2\n3,1.8,9\n4,1.7\n5,1.7\n6,1.7\n7,1.7\n")
        summary, lines = self.summary(path, code=4)
        self.said(lines, "a.csv:3: 2 rows have more or fewer cells")
        self.assertEqual(summary["runs"][0]["series"]["loss"]["points"], 5)
        self.assertTrue(summary["partial"] and summary["verdict"].startswith("PARTIAL"))

    def test_cells_that_are_no_number_are_told_and_absent(self):
        path = self.write("a.csv", "step,loss,note\n1,2.0,fine\n2,oops,fine\n3,1.8,fine\n4,ouch,fine\n5,,fine\n")
        summary, lines = self.summary(path, code=4)
        self.said(lines, "a.csv:3: 2 cells are no numbers")
        self.assertEqual(summary["runs"][0]["series"]["loss"]["absent"], [2, 4, 5])

    def test_rows_without_a_step_are_told(self):
        path = self.write("a.csv", "step,loss\n1,2.0\nx,1.9\n,1.85\n4,1.7\n")
        _, lines = self.summary(path, code=4)
        self.said(lines, "a.csv:3: 2 rows have no step")

    def test_of_repeated_steps_one_counts_and_the_rest_are_told(self):
        for name, text in (("a.csv", "step,loss\n1,2.0\n2,0\n2,1.8\n2,1.7\n3,1.6\n"),
                           ("a.jsonl", "".join('{"step": %d, "loss": %s}\n' % p for p in ((1, 2.0), (2, 0), (2, 1.8), (2, 1.7), (3, 1.6)))),
                           ("a.log", "".join(megatron(s, 9, x) + "\n" for s, x in ((1, 2.0), (2, 0), (2, 1.8), (2, 1.7), (3, 1.6))))):
            summary, lines = self.summary(self.write(name, text), code=0)
            self.said(lines, "2 records repeat the step of the one before")
            self.assertEqual(summary["runs"][0]["series"]["loss"]["points"], 3)

    def test_a_log_line_that_breaks_off_is_left_out(self):
        whole = "".join(megatron(s, 9, 3 - 0.1 * s) + "\n" for s in range(1, 6))
        summary, lines = self.summary(self.write("a.log", whole + megatron(6, 9, 2.4)[:150]), code=0)
        self.said(lines, "a.log:6: the last line has no end and is left out")
        self.assertEqual(summary["runs"][0]["series"]["loss"]["last"], 5)
        summary, lines = self.summary(self.write("b.log", whole.rstrip("\n")), code=0)
        self.assertEqual(summary["runs"][0]["series"]["loss"]["last"], 5)

    def test_a_table_that_breaks_off_loses_its_last_row(self):
        summary, lines = self.summary(self.write("a.csv", "step,loss,grad_norm\n1,2.0,1\n2,1.9,1\n3,1.8"), code=0)
        self.said(lines, "a.csv:4: the last line has no end and is left out")
        self.assertEqual(summary["runs"][0]["series"]["loss"]["points"], 2)
        _, lines = self.summary(self.write("b.csv", "step,loss\n1,2.0\n2,1.9"), code=0)
        self.said(lines, "b.csv:3: the last line has no end; its last number may be cut")

    def test_json_lines_that_are_broken_are_told(self):
        path = self.write("a.jsonl", '{"step": 1, "loss": 2.0}\n{"step": 2, "lo\nnothing\n{"step": 4, "loss": 1.7}\n{"step": 5,')
        summary, lines = self.summary(path, code=4)
        self.said(lines, "a.jsonl:2: 3 lines are no whole JSON object")
        self.assertEqual(summary["runs"][0]["series"]["loss"]["points"], 2)

    def test_a_json_document_that_breaks_off_is_read_up_to_there(self):
        state = {"log_history": [{"step": s, "loss": 3.0 - 0.1 * s} for s in range(1, 21)], "global_step": 20}
        text = json.dumps(state)
        summary, _ = self.summary(self.write("trainer_state.json", text[:text.index('"step": 15')]), code=4)
        self.assertEqual(summary["runs"][0]["series"]["loss"]["last"], 14)

    def test_a_step_line_that_another_process_broke_is_told(self):
        text = "".join(megatron(s, 9, 3 - 0.1 * s) + "\n" for s in range(1, 6))
        text = text.replace(megatron(3, 9, 2.7), " iteration        3/       9 | [rank 1] Traceback")
        _, lines = self.summary(self.write("a.log", text), code=4)
        self.said(lines, "a.log:3: 1 step line holds no number")

    def test_unknown_formats_show_the_closest_line_and_the_option(self):
        code, lines = run(self.write("a.txt", "hello\nthe loss was fine today\nbye\n"), "-o", self.out)
        self.assertEqual(code, 3)
        self.assertIn("a.txt:2: no training record; this line comes closest: the loss was fine today", lines[0])
        self.assertIn("--pattern", lines[1])
        for name, text in (("empty.log", ""), ("blank.log", " \n\n"), ("zero.log", b"\0" * 300), ("letters.csv", "a,b\nx,y\n")):
            code, lines = run(self.write(name, text), "-o", self.out)
            self.assertEqual(code, 3, name)
            self.assertIn(name, lines[0])
        self.assertEqual(run(os.path.join(self.folder, "missing.log"), "-o", self.out)[0], 3)
        self.assertFalse(os.path.exists(self.out) and os.listdir(self.out))

    def test_wrong_options_exit_2_and_a_range_or_axis_without_records_3(self):
        path = self.write("a.csv", "step,loss\n1,2\n2,1.9\n")
        for arguments in ((), (path, "--x", "hours"), (path, "--range", "5-2"), (path, "--range", "x"), (path, "--criterion", "best"),
                          (path, "--smooth", "much"), (path, "--wrong"), (path, "--limits", "MEAN"), (path, "--limits", "MEAN=-1"),
                          (path, "--limits", "MEAN=2,AVERAGE=1"), (path, "--limits", "")):
            self.assertEqual(run(*arguments, "-o", self.out)[0], 2, arguments)
        self.assertEqual(run(path, "--range", "100-200", "-o", self.out)[0], 3)
        self.assertEqual(run(path, "--x", "tokens", "-o", self.out)[0], 3)
        self.assertEqual(run(path, "--x", "time", "-o", self.out)[0], 3)


    def test_redaction_holds_for_errors_too(self):
        path = self.write("secret-base/inner/a.txt", "nothing here\n")
        table = self.write("secret-base/inner/a.csv", "step,loss\n1,2\n2,x\n3,1.9\n")
        for arguments in ((path,), (table, "--range", "8-9"), (table, "--x", "tokens"), (os.path.dirname(path),),
                          (table, "-o", os.path.join(table, "x")), (table, "--name-map", path), (path + ".none",), (table,)):
            _, lines = run("--redact", "-v", "-o", self.out, *arguments)
            self.assertNotIn("secret-base", "\n".join(lines), arguments)


class Reading(Case):
    def test_colours_bars_prefixes_and_foreign_encodings_cost_no_step(self):
        lines = []
        for step in range(1, 61):
            line = megatron(step, 60, 5 - 0.05 * step)
            if step % 5 == 0:
                line = "\x1b[32m20250506\x1b[0m \x1b[1m" + line + "\x1b[0m"
            elif step % 5 == 1:
                line = "Train: %2d%%|###   | %d/60 [00:55<54:36, 5.53s/it]\r" % (step, step) + line
            elif step % 5 == 2:
                line = "[default7]:" + line
            lines.append(line.encode() + (b"\r\n" if step % 2 else b"\n"))
            lines.append("\u635f\u5931\u503c\u6b63\u5e38\n".encode("gbk"))
        loss = self.series("loss", self.write("a.log", b"".join(lines)))
        self.assertEqual((loss["points"], loss["first"], loss["last"], loss["absent"]), (60, 1, 60, []))

    def test_a_mark_of_utf16_and_of_utf8_is_passed_over(self):
        text = "".join(megatron(s, 9, 3 - 0.1 * s) + "\n" for s in range(1, 10))
        for name, data in (("a.log", text.encode("utf-16")), ("b.log", b"\xef\xbb\xbf" + text.encode())):
            self.assertEqual(self.series("loss", self.write(name, data))["points"], 9)

    def test_ranks_that_print_in_turns_are_one_run(self):
        text = "".join("[rank%d]: %s\n" % (rank, mindformers(step, 50, 0.0 if rank < 3 else 4 - 0.01 * step, 1.5))
                       for step in range(1, 51) for rank in random.Random(step).sample(range(4), 4))
        loss = self.series("loss", self.write("all.log", text))
        self.assertEqual((loss["points"], loss["first"], loss["last"]), (50, 1, 50))
        self.assertEqual(self.summary(os.path.join(self.folder, "all.log"))[0]["runs"][0]["overlap"], None)

    def test_a_norm_that_ranks_print_apart_is_told_in_the_language_of_the_reader(self):
        for rank in range(2):
            self.write("norms/rank_%d.log" % rank, "".join(
                "{'loss': %.4f, 'grad_norm': %.4f, 'step': %d}\n" % (3 - 0.01 * s, 1 + (0.5 * rank if s > 20 else 0), s) for s in range(1, 60)))
        for language, told, event in (("en", "grad_norm differs between the ranks of this run, first at step 21",
                                       "grad_norm of rank 0 differs from that of rank 1"),
                                      ("zh", "此次运行各 rank 的 grad_norm 不一致，首次出现在第 21 步", "grad_norm：rank 0 的值与 rank 1 的不同")):
            summary, lines = self.summary(os.path.join(self.folder, "norms"), "--lang", language)
            self.assertIn(told, "\n".join(lines))
            self.assertIn(event, [e["text"] for e in summary["runs"][0]["events"]])

    def test_a_placeholder_is_not_the_loss(self):
        for rank in range(4):
            self.write("log/worker_%d.log" % rank, "".join(
                mindformers(s, 40, 3 - 0.01 * s if rank == 3 else 0.0, 1.0) + "\n" for s in range(1, 41)))
        loss = self.series("loss", os.path.join(self.folder, "log"))
        self.assertEqual((os.path.basename(loss["file"]), loss["points"]), ("worker_3.log", 40))
        summary, lines = self.summary(os.path.join(self.folder, "log", "worker_0.log"))
        self.assertNotIn("loss", summary["runs"][0]["series"])
        self.assertTrue(any("placeholder" in line for line in lines))

    def test_a_later_start_wins_from_its_first_step_on(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            end, again = numbers.randrange(60, 100), numbers.randrange(20, 60)
            one = self.write("run%d/a_part1.log" % seed, "".join(
                megatron(s, 200, 5.0, stamp="2025-05-06 07:%02d:%02d" % (s // 60, s % 60)) + "\n" for s in range(1, end + 1)))
            two = self.write("run%d/b_part2.log" % seed, "".join(
                megatron(s, 200, 4.0, stamp="2025-05-06 09:%02d:%02d" % (s // 60, s % 60)) + "\n" for s in range(again, 151)))
            for argument in (os.path.dirname(one), one + "," + two, two + "," + one):
                run_ = self.summary(argument)[0]["runs"][0]
                self.assertEqual(run_["overlap"], [again, end])
                self.assertEqual(run_["series"]["loss"]["points"], 150)
                self.assertEqual([e["step"] for e in run_["events"] if e["kind"] == "restart"], [again])
            compared = self.summary("-g", two, "-t", os.path.dirname(one))[0]["comparisons"][0]
            self.assertEqual((compared["points"], compared["max_abs"]), (151 - again, 0))

    def test_what_was_written_twice_with_other_numbers_is_printed(self):
        one = self.write("a_part1.log", "".join(megatron(s, 60, 5.0) + "\n" for s in range(1, 41)))
        for loss, told in ((4.0, True), (5.0, False)):
            two = self.write("b_part2.log", "".join(megatron(s, 60, loss) + "\n" for s in range(31, 61)))
            _, lines = self.summary(one + "," + two)
            self.assertEqual(any("steps 31 to 40 were written again" in line for line in lines), told, lines)

    def test_a_loss_that_stops_being_printed_is_partial_with_both_figures(self):
        golden = self.write("golden.csv", "step,loss\n" + "".join("%d,2\n" % s for s in range(1, 401)))
        for blank in ("", "None"):
            target = self.write("target.csv", "step,loss\n" + "".join(
                "%d,%s\n" % (s, 2 if s <= 10 else blank) for s in range(1, 401)))
            summary, lines = self.summary("-g", golden, "-t", target, code=4)
            self.assertEqual(summary["comparisons"][0]["points"], 10)
            self.assertTrue(any("10 of 400 steps" in line for line in lines), lines)

    def test_gaps_absent_and_not_a_number_are_three_things(self):
        rows = ["step,loss"] + ["%d,%s" % (s, "nan" if s == 30 else "" if s == 40 else "inf" if s == 50 else 2) for s in range(1, 101)
                                if not 60 <= s < 80]
        loss = self.series("loss", self.write("a.csv", "\n".join(rows) + "\n"))
        self.assertEqual((loss["points"], loss["nonfinite"], loss["absent"]), (79, [30, 50], [40]))

    def test_a_loss_that_only_one_side_has_is_no_agreement(self):
        both = self.write("both.csv", "step,loss,lr\n1,3,1e-5\n2,2,1e-5\n3,2,1e-5\n")
        rate = self.write("rate.csv", "step,loss,lr\n1,,1e-5\n2,,1e-5\n3,,1e-5\n")
        none = self.write("none.csv", "step,lr\n1,1e-5\n2,1e-5\n3,1e-5\n")
        late = self.write("late.csv", "step,loss,lr\n1,,1e-5\n2,,1e-5\n3,,1e-5\n4,2,1e-5\n")
        for golden, target, said in ((both, rate, "golden has a loss, this run has none"), (both, none, "golden has a loss, this run has none"),
                                     (none, both, "golden has no loss"), (both, late, "no step at which both have a loss")):
            code, stderr = run(golden, target, "-o", self.out)
            self.assertEqual(code, 4, stderr)
            self.assertIn(said, "\n".join(stderr))
            self.assertTrue(stderr[-1].startswith("PARTIAL SAME"), stderr)
        self.assertEqual(run(none, rate, "-o", self.out)[0], 4)  # nor is a rate a verdict

    def test_of_several_targets_the_one_that_leaves_is_named(self):
        def table(offset):
            return "step,loss\n" + "".join("%d,%.6f\n" % (s, 2 + offset(s)) for s in range(1, 301))
        golden = self.write("golden.csv", table(lambda s: 0))
        good = self.write("mended.csv", table(lambda s: 1e-4 * (s % 2)))
        bad = self.write("broken.csv", table(lambda s: 0.2 if s > 150 else 0))
        picture = os.path.join(self.folder, "curves.svg")
        run("-g", golden, "-t", good, "-t", bad, "-o", picture)
        with open(picture, encoding="utf-8") as f:
            self.assertIn("broken leaves the tolerance", f.read())

    def test_decimal_commas_semicolons_and_other_orders(self):
        path = self.write("a.csv", "grad_norm;loss;step\n1,5;2,5;1\n1,4;2,25;2\n1,3;2;3\n")
        self.assertEqual(self.series("loss", path)["points"], 3)
        _, lines = run(path, "-o", self.out, "--format", "csv")
        with open(os.path.join(self.out, "curves.csv"), encoding="utf-8") as f:
            self.assertIn("2.25", f.read())

    def test_a_log_with_other_locale_and_zone_gives_the_same_bytes(self):
        path = self.write("a.log", "".join(megatron(s, 99, 3 - 0.01 * s, stamp="2025-05-06 07:00:%02d" % (s % 60)) + "\n" for s in range(1, 100)))
        sums = []
        for environment in ({}, {"TZ": "Asia/Shanghai", "LC_ALL": "de_DE.UTF-8", "SOURCE_DATE_EPOCH": "0"}, {"COLUMNS": "7"}):
            out = os.path.join(self.folder, "o%d" % len(sums))
            self.assertEqual(run(path, "-o", out, "--format", "json,svg,html,md,csv", **environment)[0], 0)
            digest = hashlib.sha256()
            for name in sorted(os.listdir(out)):
                with open(os.path.join(out, name), "rb") as f:
                    digest.update(name.encode() + f.read())
            sums.append(digest.hexdigest())
        self.assertEqual(len(set(sums)), 1)


def record(payload):
    def crc(data):
        value = 0xFFFFFFFF
        for byte in data:
            value ^= byte
            for _ in range(8):
                value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        value ^= 0xFFFFFFFF
        return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF
    head = struct.pack("<Q", len(payload))
    return head + struct.pack("<I", crc(head)) + payload + struct.pack("<I", crc(payload))


def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def scalar(wall, step, tag, value):
    inner = b"\x0a" + varint(len(tag)) + tag.encode() + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + varint(len(inner)) + inner
    return record(b"\x09" + struct.pack("<d", wall) + (b"\x10" + varint(step) if step else b"") + b"\x2a" + varint(len(summary)) + summary)


class EventFiles(Case):
    def file(self, name, steps, cut=0, start=1.7e9):
        data = record(b"\x09" + struct.pack("<d", start) + b"\x1a\x0dbrain.Event:2")
        data += b"".join(scalar(start + s, s, "loss", 3 - 0.01 * s) + scalar(start + s, s, "grad-norm", math.nan if s == 7 else 1.5) for s in steps)
        return self.write(name, data[:len(data) - cut])

    def test_scalars_are_read_with_step_0_and_nan(self):
        summary, _ = self.summary(self.file("events.out.tfevents.1700000000.h", range(100)), code=0)
        series = summary["runs"][0]["series"]
        self.assertEqual((series["loss"]["points"], series["loss"]["first"], series["grad_norm"]["nonfinite"]), (100, 0, [7]))

    def test_a_cut_file_is_read_up_to_its_last_whole_record(self):
        for cut in (1, 5, 30, 46):
            series = self.summary(self.file("events.out.tfevents.1700000000.h", range(50), cut), code=0)[0]["runs"][0]["series"]
            self.assertEqual((series["loss"]["points"], series["grad_norm"]["points"]), (50 if cut < 45 else 49 + (cut < 47), 49))

    def test_a_damaged_record_ends_that_file_only(self):
        path = self.file("run/events.out.tfevents.1700000000.h", range(50))
        with open(path, "r+b") as f:
            f.seek(1200)
            f.write(b"\xff\xff\xff")
        self.file("run/events.out.tfevents.1700009000.h", range(30, 60), start=1.7e9 + 9000)
        summary, lines = self.summary(os.path.join(self.folder, "run"), code=4)
        self.assertTrue(any("a damaged record" in line for line in lines), lines)
        self.assertEqual(summary["runs"][0]["series"]["loss"]["last"], 59)

    def test_event_files_give_the_same_numbers_as_a_table(self):
        table = self.write("a.csv", "step,loss\n" + "".join("%d,%r\n" % (s, struct.unpack("<f", struct.pack("<f", 3 - 0.01 * s))[0]) for s in range(100)))
        compared = self.summary("-g", table, "-t", self.file("events.out.tfevents.1700000000.h", range(100)))[0]["comparisons"][0]
        self.assertEqual((compared["points"], compared["max_abs"]), (100, 0))


class Judging(Case):
    def test_of_equal_losses_no_largest_difference_is_told(self):
        golden = self.write("a.csv", "step,loss\n" + "".join("%d,%.3f\n" % (i, 3 - i / 50) for i in range(1, 120)))
        broken = self.write("b.csv", "step,loss\n" + "".join("%d,%s\n" % (i, "%.3f" % (3 - i / 50) if i < 60 else "nan") for i in range(1, 120)))
        again = self.write("c.csv", "step,loss\n" + "".join("%d,%.3f\n" % (i, 3 - i / 50 + i % 3 / 100) for i in range(1, 120)))
        copy = self.write("d.csv", "step,loss\n" + "".join("%d,%.3f\n" % (i, 3 - i / 50) for i in range(1, 90)))
        run(golden, broken, "-o", self.path("x.svg"))
        with open(self.path("x.svg"), encoding="utf-8") as file:
            picture = file.read()
        self.assertIn("equal at the 59 steps at which both are numbers", picture)
        self.assertRegex(picture, r"mean of the \d+ up to 59<")
        self.assertNotIn("largest |difference|", picture)
        verdict = self.summary(golden, copy, "--noise", again)[1][-1]
        self.assertIn("x the noise; equal to golden's at all of them", verdict)

    def test_runs_without_a_common_series_are_told_what_each_has(self):
        steps = range(1, 60)
        golden = self.write("a.log", "".join("step %d loss %.3f\n" % (i, 3 - i / 50) for i in steps))
        target = self.write("b.log", "".join("step %d mlm_loss %.3f nsp_loss 0.7\n" % (i, 3 - i / 50) for i in steps))
        later = self.write("c.log", "".join("step %d loss %.3f\n" % (i + 1000, 3 - i / 50) for i in steps))
        self.assertEqual(self.summary(golden, target, code=3)[1][-1], "NOT COMPARED  the runs have no series with common "
                         "steps: golden has loss, the target loss.mlm_loss, loss.nsp_loss")
        self.assertEqual(self.summary(golden, later, code=3)[1][-1], "NOT COMPARED  the runs have no series with common "
                         "steps: the loss of golden is at 1 to 59, of the target at 1,001 to 1,059")

    def test_a_log_against_itself_says_that_no_other_run_was_compared(self):
        text = "step,loss\n" + "".join("%d,%.3f\n" % (i, 3 - i / 50) for i in range(1, 60))
        golden, copy = self.write("a.csv", text), self.write("b.csv", text)
        os.symlink("a.csv", self.path("link.csv"))
        for target, same in ((golden, True), (self.path("link.csv"), True), (copy, False)):
            said = "\n".join(self.summary(golden, target, code=0)[1])
            self.assertIn("SAME", said)
            self.assertEqual("golden and target are the same log" in said, same, target)
        for head in ("step,eval_loss", "Step,a - train/loss,b - train/loss"):
            rows = "".join("%d%s\n" % (i, ",%.3f" % (3 - i / 50) * head.count(",")) for i in range(1, 60))
            alone = self.write("c.csv", head + "\n" + rows)
            self.assertIn("golden and target are the same log", "\n".join(self.summary("-g", alone, "-t", alone)[1]))

    def noise(self, seed, steps, offset=lambda s: 0.0, scale=0.01):
        numbers, state, out = random.Random(seed), 0.0, []
        for step in range(1, steps + 1):
            state = 0.9 * state + math.sqrt(1 - 0.81) * numbers.gauss(0, 1)
            out.append(2 + 6 * math.exp(-step / 100) + scale * state * (step > 1) + offset(step))
        return out

    def table(self, name, values, norm=lambda s: 1.0, rate=1e-5):
        return self.write(name, "step,loss,grad_norm,lr\n" + "".join(
            "%d,%.6f,%.6f,%g\n" % (s, v, norm(s), rate) for s, v in enumerate(values, 1)))

    def judge(self, target, *arguments, **keywords):
        golden, noise = (self.table("g%d.csv" % i, self.noise(900 + i, 1200)) for i in range(2))
        summary, _ = self.summary("-g", golden, "--noise", noise, "-t", self.table("t.csv", target), *arguments, **keywords)
        return next(c for c in summary["comparisons"] if c["series"] == "loss"), summary

    def test_a_hole_is_judged_by_the_steps_printed_beside_it(self):
        loss = lambda step: 3 - step / 100
        golden = self.write("golden.csv", "step,loss\n" + "".join("%d,%g\n" % (i, loss(i)) for i in range(1, 1001)))
        for steps, behind in (([*range(1, 501), *range(510, 1001, 10)], None), ([*range(10, 500, 10), *range(500, 1001)], None),
                              ([1, 2, 3, 1000], 3), ([*range(1, 301), *range(600, 1001, 10)], 300),
                              ([*range(1, 11), 500, *range(900, 1001)], 10), ([i for i in range(10, 1001, 10) if i not in (300, 310, 320)], None),
                              ([*range(1, 301), 500, *range(800, 1001)], 300)):
            target = self.write("target.csv", "step,loss\n" + "".join("%d,%g\n" % (i, loss(i)) for i in steps))
            for sides in ((golden, target), (target, golden)):
                done, _, said = program.run("curves", *sides, "-o", self.path("v.md"))
                self.assertEqual(done, 4 if behind else 0, said)
                self.assertEqual("one run does not have the others, first after step %s" % behind in said, bool(behind), said)

    def test_steps_that_one_run_lacks_in_its_midst_make_it_partial(self):
        loss = lambda step: 3 - step / 100
        golden = self.write("golden.csv", "step,loss\n" + "".join("%d,%g\n" % (i, loss(i)) for i in range(1, 201)))
        for steps, code in (([i for i in range(1, 201) if not 50 < i < 120], 4), (range(10, 201, 10), 0),
                            ([i for i in range(1, 201) if i != 77], 0)):
            target = self.write("target.csv", "step,loss\n" + "".join("%d,%g\n" % (i, loss(i)) for i in steps))
            for sides in ((golden, target), (target, golden)):
                done, _, said = program.run("curves", *sides, "-o", self.path("v.md"))
                self.assertEqual(done, code, said)
                self.assertEqual("is compared at 131 of 200 steps" in said, code == 4, said)

    def test_what_lacks_in_several_ways_counts_together(self):
        draw = random.Random(5)
        lacking = {i for i in range(1, 1001) if draw.random() < 0.14}
        holes, blank, cut = set(range(400, 430)), set(range(600, 630)), set(range(971, 1001))
        thirds = set(range(3, 1001, 3))
        rhythms = (thirds, set(range(1, 1001)) - thirds, {i for i in range(1, 1001) if i % 10 not in (0, 1, 2, 5)}, set(range(15, 1001, 15)))

        def table(name, without, blank=()):
            return self.write(name, "step,loss\n" + "".join(
                "%d,%s\n" % (i, "" if i in blank else "%g" % (3 - i / 1000)) for i in range(1, 1001) if i not in without))
        golden = table("golden.csv", ())
        for without, blanks, code in ((lacking | holes, blank, 4), (lacking, (), 4), (holes, blank, 4), (holes | cut, (), 4), (cut, blank, 4),
                                      (holes, (), 0), ((), blank, 0), (cut, (), 0), (thirds | set(range(400, 460)), (), 4),
                                      *((rhythm, (), 0) for rhythm in rhythms)):
            target = table("target.csv", without, blanks)
            for sides in ((golden, target), (target, golden)):
                done, _, said = program.run("curves", *sides, "-o", self.path("v.md"))
                self.assertEqual(done, code, said)
                self.assertEqual("loss is compared at" in said, code == 4, said)
        for sides in ((table("a.csv", holes), table("b.csv", blank)), (table("a.csv", lacking), table("b.csv", holes | cut))):
            self.assertEqual(program.run("curves", *sides, "-o", self.path("v.md"))[0], 4)

    def test_another_rate_is_said_where_the_loss_agrees(self):
        def table(name, seed, rate):
            values = self.noise(seed, 400)
            return self.write(name, "step,loss,lr\n" + "".join("%d,%.6f,%.6e\n" % (s, v, rate(s)) for s, v in enumerate(values, 1)))
        paths = [table("r%d.csv" % i, 800 + i, lambda s: 1e-4) for i in range(4)]
        noise = [word for path in paths[1:] for word in ("--noise", path)]
        other = table("o.csv", 810, lambda s: 1e-4 * (1.1 if 301 <= s < 350 else 1))
        self.assertIn("the learning rate differs by up to 10 %, first at step 301", run(paths[0], other, *noise)[1][-1])
        self.assertIn("the learning rate differs", run(paths[0], other)[1][-1])
        self.assertNotIn("rate", run(paths[0], table("s.csv", 811, lambda s: 1.001e-4), *noise)[1][-1])
        large = table("l.csv", 813, lambda s: 3.7e-2)
        code, said = run(paths[0], large, *noise)
        self.assertEqual((code, "OUTSIDE   tolerance from step 1: the learning rate differs by up to ×370, first at step 1" in said[-1]), (1, True), said)
        zero = table("z.csv", 812, lambda s: 0)
        self.assertIn("the learning rate of golden is 0", run(zero, other)[1][-1])

    def test_where_nothing_lasts_the_step_is_the_first_that_leaves(self):
        paths = [self.table("g%d.csv" % i, self.noise(820 + i, 1200)) for i in range(4)]
        noise = [word for path in paths[1:] for word in ("--noise", path)]
        target = self.table("t.csv", self.noise(830, 1200, lambda s: 0.5 + (s == 730) if 700 <= s < 760 else 0))
        self.assertIn("OUTSIDE   noise from step 700:", run(paths[0], target, *noise)[1][-1])
        target = self.table("u.csv", self.noise(831, 1200, lambda s: 0.4 * (s % 2) - 0.2))
        self.assertIn("OUTSIDE   tolerance from step 1:", run(paths[0], target)[1][-1])

    def test_spikes_of_one_side_count_where_golden_runs_have_none_that_often(self):
        for spikes, code in ((1, 0), (6, 1)):
            at = random.Random(spikes).sample(range(100, 1100, 10), spikes)
            found, _ = self.judge(self.noise(840, 1200, lambda s: 2 if s in at else 0), code=code)
            self.assertEqual(found["finding"], "outside" if code else "borderline")

    def test_an_offset_of_a_seed_is_no_event_and_one_that_came_is(self):
        golden, noise = (self.table("g%d.csv" % i, self.noise(850 + i, 1200)) for i in range(2))
        for offset, code in ((lambda s: 0.05, 4), (lambda s: 0.05 * (s > 600), 1), (lambda s: 0.1, 1)):
            target = self.table("t.csv", self.noise(853, 1200, offset))
            self.assertEqual(run(golden, target, "--noise", noise)[0], code)

    def test_a_further_run_is_within_noise(self):
        for seed in SEEDS:
            self.assertEqual(self.judge(self.noise(seed, 1200), code=0)[0]["finding"], "within noise")

    def test_a_late_offset_is_stable_whatever_its_sign(self):
        for seed in SEEDS:
            onset, sign = random.Random(seed).randrange(500, 900), (-1) ** seed
            found, summary = self.judge(self.noise(seed, 1200, lambda s: sign * 0.08 * min(1, max(0, s - onset) / 40)), code=1)
            self.assertEqual(found["finding"], "stable offset")
            start = found["band"]["excursion_starts"][-1]
            self.assertTrue(onset - 20 < start < onset + 60, (onset, start))
            self.assertTrue(summary["verdict"].startswith("OUTSIDE"))

    def test_an_offset_begins_where_it_was_planted_whatever_spikes_stand_around_it(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            steps = numbers.choice((600, 1500, 4000, 12000))
            onset, scale = round(steps * numbers.uniform(0.2, 0.8)), numbers.choice((0.005, 0.02, 0.05))
            offset = numbers.choice((-1, 1)) * max(0.09, 4 * scale)
            hole = numbers.randrange(2, steps)

            def run(own, extra=lambda step: 0.0):
                noise = random.Random(seed * 100 + own)
                spikes = {noise.randrange(2, steps): noise.uniform(1, 30) for _ in range(3)}
                return [math.nan if s == hole else 2 + 8 * math.exp(-8 * s / steps) + extra(s) + spikes.get(s, 0)
                        + scale * (1 + 4 * math.exp(-40 * s / steps)) * noise.gauss(0, 1) for s in range(1, steps + 1)]

            paths = [self.table("%d.csv" % own, run(own)) for own in range(4)]
            target = self.table("t.csv", run(9, lambda s: offset if s >= onset else 0.0))
            for others in (0, 1, 3):
                noise = [word for path in paths[1:1 + others] for word in ("--noise", path)]
                summary, _ = self.summary("-g", paths[0], "-t", target, *noise, code=1)
                loss = next(c for c in summary["comparisons"] if c["series"] == "loss")
                found = loss["band" if others else "tolerance"]["onset_estimate"]
                self.assertLessEqual(abs(found - onset), steps / 100, (seed, others, steps, scale, onset, found))

    def test_further_runs_with_spikes_stay_within_the_noise(self):
        outside = 0
        for seed in range(10 * len(SEEDS)):
            def run(own):
                noise = random.Random(seed * 100 + own)
                level = noise.gauss(0, 0.006)
                spikes = {noise.randrange(2, 400): noise.uniform(0.5, 2) for _ in range(3)}
                return [2 + level + spikes.get(s, 0) + 0.02 * noise.gauss(0, 1) for s in range(1, 401)]

            paths = [self.table("%d.csv" % own, run(own)) for own in range(2 + seed % 3 + 1)]
            noise = [word for path in paths[2:] for word in ("--noise", path)]
            summary, _ = self.summary("-g", paths[0], "-t", paths[1], *noise, code=None)
            outside += summary["verdict"].startswith(("OUTSIDE", "DIVERGES"))
        self.assertLessEqual(outside, max(1, len(SEEDS) // 10))

    def test_a_divergence_is_told_from_an_offset(self):
        for seed in SEEDS:
            onset = random.Random(seed).randrange(600, 900)
            found, summary = self.judge(self.noise(seed, 1200, lambda s: 0.003 * max(0, s - onset)), code=1)
            self.assertEqual(found["finding"], "diverging")
            self.assertTrue(summary["verdict"].startswith("DIVERGES"))

    def test_spikes_are_found_where_they_are_and_nowhere_else(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            loss_at, norm_at = numbers.randrange(100, 500), numbers.randrange(600, 1100)
            values = self.noise(seed, 1200, lambda s: 1.5 if s in (loss_at, loss_at + 1) else 0.0)
            path = self.table("a.csv", values, lambda s: 9.0 if s == norm_at else 1 + 0.05 * math.sin(s * 1.7))
            series = self.summary(path)[0]["runs"][0]["series"]
            self.assertEqual([(e["start"], e["end"]) for e in series["loss"]["spikes"]], [(loss_at, loss_at + 1)])
            self.assertEqual([(e["start"], e["end"]) for e in series["grad_norm"]["spikes"]], [(norm_at, norm_at)])

    def test_not_a_number_on_one_side_is_never_fine(self):
        values = self.noise(1, 1200)
        values[800] = math.nan
        found, summary = self.judge(values, code=1)
        self.assertEqual((found["finding"], found["one_sided_nonfinite"]), ("outside", 1))
        self.assertIn("from step 801", summary["verdict"])

    def test_a_run_against_itself_is_the_same_in_every_criterion(self):
        path = self.table("a.csv", self.noise(1, 300))
        for criterion in ("lr0", "long", "converged"):
            summary, lines = self.summary(path, path, "--criterion", criterion, code=0)
            self.assertTrue(lines[-1].startswith("SAME"), lines)
            self.assertEqual(summary["comparisons"][0]["max_abs"], 0)

    def test_rate_0_is_judged_by_its_own_limits(self):
        numbers = random.Random(5)
        golden = [10 + 0.1 * numbers.gauss(0, 1) for _ in range(300)]
        target = [v + 0.0005 * numbers.gauss(0, 1) + (0.03 if s == 211 else 0) for s, v in enumerate(golden, 1)]
        summary, _ = self.summary(self.table("a.csv", golden, rate=0), self.table("b.csv", target, rate=0))
        self.assertEqual(summary["comparisons"][0]["max_at"], 211)
        far = [v + 0.01 for v in golden]
        self.summary(self.table("a.csv", golden, rate=0), self.table("b.csv", far, rate=0), code=1)

    def test_limits_are_set_by_the_names_of_help_rules(self):
        golden = [10.0 - 0.01 * s for s in range(300)]
        a, b = self.table("a.csv", golden), self.table("b.csv", [v + 0.15 for v in golden])
        self.summary(a, b, code=1)
        self.summary(a, b, "--limits", "ABSOLUTE=0.2,MEAN=2", code=0)
        self.summary(a, b, "--limits", "MEAN=3", code=0)
        self.summary(a, b, "--limits", "ABSOLUTE=0.01,MEAN=1.5", code=1)
        lines = run(a, b, "--limits", "AVERAGE=1", "-o", self.out)[-1]
        self.assertIn("ABSOLUTE", str(lines))

    def test_only_steps_in_common_count_whatever_the_interval(self):
        every = self.table("a.csv", self.noise(1, 300, scale=0))
        tenth = self.write("b.csv", "step,loss\n" + "".join(
            "%d,%.9f\n" % (s, sum(self.noise(1, 300, scale=0)[s - 10:s]) / 10) for s in range(10, 301, 10)))
        found = self.summary("-g", every, "-t", tenth)[0]["comparisons"][0]
        self.assertEqual(found["points"], 30)
        self.assertLess(found["mean_relative"], 1e-6)
        apart = self.write("c.csv", "step,loss\n" + "".join("%d,2.0\n" % s for s in range(1000, 1100)))
        code, lines = run(every, apart, "-o", self.out)
        self.assertNotIn(code, (0,))
        self.assertTrue(lines[-1].startswith(("NOT COMPARED", "CANNOT TELL")), lines)


class Options(Case):
    def pair(self):
        return [self.write(name, "".join(megatron(s, 300, 3 - 0.005 * s + extra, stamp="2025-05-06 07:%02d:%02d" % (s // 60, s % 60)) + "\n"
                                         for s in range(1, 301))) for name, extra in (("gpu.log", 0.0), ("npu.log", 0.2))]

    def test_roles_come_from_options_and_order(self):
        a, b = self.pair()
        roles = lambda *arguments: [(r["role"], r["name"]) for r in self.summary(*arguments)[0]["runs"]]
        self.assertEqual(roles(a), [("single", "gpu")])
        self.assertEqual(roles("one=" + a, "two=" + b), [("golden", "one"), ("target", "two")])
        self.assertEqual(roles("-g", a, b), [("golden", "gpu"), ("target", "npu")])
        self.assertEqual(sorted(roles("-g", a, "--noise", b, "-t", "x=" + a)), [("golden", "gpu"), ("noise", "npu"), ("target", "x")])
        self.assertEqual([r for r, _ in roles(a, b, a)], ["single"] * 3)

    def test_a_range_cuts_series_and_judgement(self):
        a, b = self.pair()
        summary, _ = self.summary(a, b, "--range", "101-150")
        self.assertEqual(summary["runs"][0]["series"]["loss"]["first"], 101)
        self.assertEqual(summary["comparisons"][0]["points"], 50)
        self.assertEqual(self.series("loss", a, "--range", "1-20")["last"], 20)

    def test_samples_updates_and_time_are_axes_too(self):
        a, b = self.pair()
        self.assertEqual(self.series("loss", a, "--x", "samples")["last"], 300 * 32)
        self.assertEqual(self.series("loss", a, "--x", "updates")["last"], 300)
        summary, _ = self.summary(a, b, "--x", "time")
        self.assertEqual(summary["comparisons"][0]["points"], 300)
        run(a, b, "--x", "time", "-o", self.out, "--format", "svg")
        with open(os.path.join(self.out, "curves.svg"), encoding="utf-8") as f:
            text = f.read()
        self.assertIn("time since the first record", text)
        self.assertIn(">2m<", text)

    def test_the_line_names_its_filter_and_the_log_axis_is_said(self):
        a, _ = self.pair()
        for arguments, want in (((), "centred median, then mean, of 7 "), (("--smooth", "0.9"), "debiased EMA 0.9 "), (("--smooth", "31"), "centred median, then mean, of 31"),
                                (("--smooth", "0"), "as printed"), (("--log-y",), "log scale")):
            self.assertEqual(run(a, *arguments, "-o", self.out, "--format", "svg")[0], 0)
            with open(os.path.join(self.out, "curves.svg"), encoding="utf-8") as f:
                self.assertIn(want, f.read())

    def test_options_that_could_change_nothing_are_refused(self):
        a, b = self.pair()
        code = lambda *arguments: run(*arguments, "-o", self.out, "--format", "json")[0]
        for refused in (("--criterion", "lr0"), ("--limits", "MEAN=3"), ("--noise", b), ("--smooth", "-3"), ("--smooth", "nan"), ("--smooth", "inf")):
            self.assertEqual(code(a, *refused), 2, refused)
        self.assertEqual(code("-g", a, "--criterion", "converged"), 2)
        self.assertEqual(code("-g", a, "--noise", b), 0)
        self.assertEqual(code(a, b, "--criterion", "long", "--limits", "ABSOLUTE=9,MEAN=99"), 0)
        self.assertEqual(code(a, "--series", "nonsense"), 3)
        lines = run(a, "--series", "loss,nonsense", "-o", self.out)[1]
        self.assertIn("no run has a series called 'nonsense'", " ".join(lines))
        names = self.write("map.csv", "target,benchmark\na,b\n")
        lines = run(a, b, "--name-map", names, "-o", self.out)[1]
        self.assertIn("it names nothing", " ".join(lines))

    def test_series_are_chosen(self):
        a, _ = self.pair()
        run(a, "--series", "lr", "-o", self.out, "--format", "svg")
        text = "".join(xml.etree.ElementTree.parse(os.path.join(self.out, "curves.svg")).getroot().itertext())
        self.assertIn("Learning rate", text)
        self.assertNotIn("Gradient norm", text)

    def test_every_value_is_in_the_table(self):
        values = [random.Random(3).uniform(1, 2) for _ in range(2000)]
        path = self.write("a.csv", "step,loss\n" + "".join("%d,%r\n" % (s, v) for s, v in enumerate(values, 1)))
        run(path, "-o", self.out, "--format", "csv")
        with open(os.path.join(self.out, "curves.csv"), encoding="utf-8") as f:
            rows = list(csv.reader(f))
        column = next(i for i, name in enumerate(rows[0]) if "loss" in name)
        self.assertEqual([float(r[column]) for r in rows[1:]], values)

    def test_pictures_are_well_formed_in_both_languages_and_extreme_ranges(self):
        shapes = {"constant": lambda s: 2.0, "broken": lambda s: math.nan, "tiny": lambda s: 1e-300 * (1 + s % 7), "huge": lambda s: 1e300 / (1 + s % 7),
                  "all": lambda s: 10.0 ** (s * 6 - 300), "negative": lambda s: -1.0 * s, "zero": lambda s: 0.0}
        for name, shape in shapes.items():
            path = self.write(name + ".csv", "step,loss,grad_norm\n" + "".join("%d,%r,%r\n" % (s, shape(s), shape(s)) for s in range(1, 100)))
            single = self.write(name + "1.csv", "step,loss\n5,%r\n" % shape(5))
            for argument, language in ((path, "en"), (single, "zh")):
                self.assertEqual(run(argument, "-o", self.out, "--format", "svg", "--lang", language)[0], 0, name)
                root = xml.etree.ElementTree.parse(os.path.join(self.out, "curves.svg")).getroot()
                panels = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text") if t.text]
                self.assertFalse([t for t in panels if t in ("nan", "inf", "-nan", "-inf")], name)


@needs_samples("curves")
class Samples(Case):
    """A few planted truths of the sample set; all of them are checked by its own tool."""

    def path(self, name):
        return os.path.join(SHARED, "data", "curves", name)

    def test_what_was_planted_in_the_samples_is_found(self):
        with open(self.path("expected.json"), encoding="utf-8") as f:
            want = json.load(f)
        log = want["mindformers/msrun_log"]
        run_ = self.summary(self.path("mindformers/msrun_log"))[0]["runs"][0]
        self.assertEqual(sorted({e["step"] for e in run_["events"] if e["kind"] == "skip"}), log["skipped_steps"])
        self.assertEqual(run_["series"]["loss"]["points"], log["steps"])
        fp16 = want["megatron/pretrain_fp16.log"]
        run_ = self.summary(self.path("megatron/pretrain_fp16.log"))[0]["runs"][0]
        self.assertEqual(run_["series"]["loss"]["absent"], fp16["no_loss_field_at"])
        state = want["hf/trainer_state.json"]
        self.assertEqual(self.series("grad_norm", self.path("hf/trainer_state.json"))["nonfinite"], state["nan_grad_norm_at"])

    def test_both_event_files_are_read_the_cut_one_to_its_last_whole_record(self):
        folder = self.path("tensorboard/rank_0")
        points = [self.series("loss", os.path.join(folder, name))["points"] for name in sorted(os.listdir(folder))]
        self.assertEqual(points, [150, 80])


class Pair(Case):
    def test_a_late_offset_gives_the_reference_numbers(self):
        golden, noise, target = (os.path.join(DATA, "curves", "pair", name + ".csv") for name in ("golden", "noise", "target"))
        summary, _ = self.summary("-g", golden, "--noise", noise, "-t", target, code=1)
        band = next(c for c in summary["comparisons"] if c["series"] == "loss")["band"]
        for key, want in {"rms_ratio": 2.74266, "inside_3_sigma_share": 0.69, "late_mean": 0.0483645}.items():
            self.assertAlmostEqual(band[key], want, delta=1e-4 * abs(want))
        self.assertEqual(band["last_inside_step"], 1033)


if __name__ == "__main__":
    main()
