#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vernier convert LOG: the numbers of a log as CSV, JSON Lines and event files, which say what the log says."""
import json
import os
import struct

from program import Case, SAMPLES, crc32c, main, run

GOLDEN = os.path.join(SAMPLES, "curves", "golden.csv")
MEGATRON = "".join(" iteration %8d/     100 | consumed samples: %d | elapsed time per iteration (ms): 9.0 | learning rate: 1.0E-04 | "
                   "global batch size: 16 | lm loss: %.6E | grad norm: %.3f |\n" % (i, 16 * i, 10 / i, 1 + i / 7) for i in range(1, 101))


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The payloads of an event file, every check recomputed."""
    while data:
        size, = struct.unpack("<Q", data[:8])
        assert struct.unpack("<I", data[8:12])[0] == masked(data[:8])
        assert struct.unpack("<I", data[12 + size:16 + size])[0] == masked(data[12:12 + size])
        yield data[12:12 + size]
        data = data[16 + size:]


class ConvertLogs(Case):
    def convert(self, *arguments):
        return run("convert", *arguments, cwd=self.folder)

    def text(self, name):
        with open(self.path(name), encoding="utf-8-sig") as file:
            return file.read()

    def test_what_is_written_reads_as_the_same_run(self):
        self.write("train.log", MEGATRON)
        for log in (GOLDEN, "train.log"):
            code, _, said = self.convert(log, "-o", "a.csv", "-o", "a.jsonl", "-o", "a.tfevents", "-o", "events")
            self.assertEqual(code, 0, said)
            self.assertIn("values of 1 run", said)
            for form, word in (("a.csv", "SAME"), ("a.jsonl", "SAME"), ("a.tfevents", "AGREES"), ("events", "AGREES")):
                code, _, said = run("curves", log, form, "-o", self.out, cwd=self.folder)
                self.assertEqual(code, 0, (form, said))
                self.assertIn(word, said)

    def test_losses_keep_their_names_where_there_is_no_total(self):
        self.write("n.csv", "step,box_loss,cls_loss\n" + "".join("%d,%g,%g\n" % (i, 9 / i, 5 / i) for i in range(1, 21)))
        self.assertEqual(self.convert("n.csv", "-o", "x.csv")[0], 0)
        self.assertEqual(self.text("x.csv").splitlines()[0], "step,loss.box_loss,loss.cls_loss")
        self.assertEqual(self.convert("x.csv", "-o", "y.csv")[0], 0)
        self.assertEqual(self.text("x.csv"), self.text("y.csv"))
        self.assertEqual(run("curves", "n.csv", "x.csv", "-o", self.out, cwd=self.folder)[0], 0)

    def test_each_step_is_a_row_and_what_a_step_lacks_stays_empty(self):
        self.write("n.csv", 'step,loss,"a,b"\n1,nan,3\n2,inf,\n5,1.5,-inf\n')
        self.assertEqual(self.convert("n.csv", "-o", "x.csv", "-o", "x.jsonl")[0], 0)
        self.assertEqual(self.text("x.csv"), 'step,loss,"a,b"\n1,NaN,3.0\n2,Inf,\n5,1.5,-Inf\n')
        self.assertEqual([json.loads(line) for line in self.text("x.jsonl").splitlines()],
                         [{"step": 1, "loss": "NaN", "a,b": 3}, {"step": 2, "loss": "Infinity"}, {"step": 5, "loss": 1.5, "a,b": "-Infinity"}])
        self.assertEqual(self.convert("x.jsonl", "-o", "again.csv")[0], 0)
        self.assertEqual(self.text("again.csv"), self.text("x.csv"))

    def test_event_files_hold_a_checked_record_a_value(self):
        self.write("n.csv", "step,loss\n0,2.5\n7,1.25\n")
        self.assertEqual(self.convert("n.csv", "-o", "events")[0], 0)
        name, = os.listdir(self.path("events"))
        self.assertRegex(name, r"^events\.out\.tfevents\.")
        with open(self.path("events", name), "rb") as file:
            found = list(records(file.read()))
        self.assertIn(b"brain.Event:2", found[0])
        self.assertEqual([record[-4:] for record in found[1:]], [struct.pack("<f", 2.5), struct.pack("<f", 1.25)])
        self.assertIn(b"\x10\x07", found[2])
        self.assertTrue(all(b"\x04loss" in record for record in found[1:]))

    def test_several_runs_take_a_folder_each_and_no_single_file(self):
        folder = os.path.join(SAMPLES, "curves")
        code, _, said = self.convert(folder, "-o", "events")
        self.assertEqual(code, 0, said)
        self.assertEqual(sorted(os.listdir(self.path("events"))), ["golden", "golden-again", "target"])
        code, _, said = self.convert(folder, "-o", "x.csv")
        self.assertEqual(code, 2)
        self.assertIn("one file takes one run, found 3", said)
        self.assertFalse(os.path.exists(self.path("x.csv")))

    def test_forms_that_nothing_knows_are_read_with_a_pattern(self):
        self.write("own.log", "".join("s<%d> trl=%g\n" % (i, 5 / i) for i in range(1, 9)))
        self.assertEqual(self.convert("own.log", "--pattern", "s<{step}> trl={loss}", "-o", "x.csv")[0], 0)
        self.assertEqual(self.text("x.csv").splitlines()[:2], ["step,loss", "1,5.0"])

    def test_steps_that_a_restart_wrote_again_are_told(self):
        self.write("r.log", "".join("step %d loss: %d.0\n" % (s, 9 - s) for s in (1, 2, 3, 4)) + "step 1 loss: 7.0\nstep 2 loss: 6.5\n")
        self.write("norms.csv", "step,gn\n1,4\n2,3\n1,5\n")
        for log, words in (("r.log", "steps 1 to 4 were written again; the loss differs by at most 1 there"),
                           ("norms.csv", "steps 1 to 2 were written again; the later ones count")):
            code, _, said = self.convert(log, "-o", "x.csv")
            self.assertEqual(code, 0, said)
            self.assertIn(words, said)
            self.assertIn(words, run("curves", log, "-o", self.out, cwd=self.folder)[2])

    def test_what_has_no_effect_or_is_no_log_is_refused_in_words(self):
        self.write("c.csv", "step,loss\n1,2\n2,3\n")
        self.write("logs/c.csv", "step,loss\n1,2\n2,3\n")
        self.write("words.txt", "nothing of a run\n")
        self.write("empty.log", "")
        dump = os.path.join(SAMPLES, "gpt", "golden")
        for code, words, arguments in (
                (2, "is not written over", ["c.csv", "-o", "c.csv"]),
                (2, "is not written over", ["logs", "-o", "logs/c.csv"]),
                (2, "is not written over", ["logs", "-o", "logs/events"]),
                (2, "convert writes a log as .csv", ["c.csv", "-o", "x.svg"]),
                (2, "--step does not apply to a log", ["c.csv", "--step", "1", "-o", "x.csv"]),
                (2, "--columns does not apply to a dump", [dump, "--columns", "step=1", "-o", "x.jsonl"]),
                (2, "convert writes a dump as .jsonl", [dump, "-o", "x.csv"]),
                (3, "no training record", ["words.txt", "-o", "x.csv"]),
                (3, "the file is empty", ["empty.log", "-o", "x.csv"])):
            found, _, said = self.convert(*arguments)
            self.assertEqual(found, code, (arguments, said))
            self.assertIn(words, said)
        self.assertEqual(self.text("c.csv"), "step,loss\n1,2\n2,3\n")


if __name__ == "__main__":
    main()
