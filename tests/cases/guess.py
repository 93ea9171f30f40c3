#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier FILE...` without a command: the one that fits is said and run, and where none or several fit they are named."""
import os
import tarfile

from program import Case, SAMPLES, main, run
import checkpoints
import log_forms


def sample(*names):
    return os.path.join(SAMPLES, *names)


class Guess(Case):
    def guess(self, *arguments):
        return run(*arguments, "-o", self.path("x.md"), cwd=self.folder)

    def test_the_command_that_fits_is_said_and_run(self):
        checkpoints.write_safetensors(self.path("a.safetensors"), {"fc.weight": checkpoints.Tensor([2], [1.0, 2.0])})
        self.write("tokens.jsonl", '{"logprobs": [-0.5, -0.25]}\n' * 3)
        self.write("tokens.csv", "request,LogProb,train_LogProb\n" + "0,-0.5,-0.5\n" * 3)
        self.write("answers.json", '{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": -0.5}]}}]}')
        for step in range(4):
            self.write("steps/step_%d.jsonl" % step, '{"generation_logprobs": [-0.5, -0.25], "train_logprobs": [-0.5, -0.25]}\n')
        golden, target = sample("gpt", "golden"), sample("gpt", "target")
        for command, words in (("compare", [golden, target]), ("graph", [golden]), ("compare", [os.path.join(golden, "step0/rank0/dump.json")] * 2),
                               ("curves", [sample("curves", "golden.csv")]),
                               ("curves", [sample("curves", "golden.csv"), sample("curves", "target.csv")]), ("monitor", [sample("monitor")]),
                               ("checklist", [sample("config", "bench_pretrain.sh"), sample("config", "target_pretrain.yaml")]),
                               ("compare", ["a.safetensors", "a.safetensors"]), ("tokens", ["tokens.jsonl", "tokens.jsonl"]), ("tokens", ["tokens.csv"]),
                               ("tokens", ["answers.json", "answers.json"]), ("tokens", ["steps"])):
            code, out, said = self.guess(*words)
            expected = run(command, *words, "-o", self.path("y.md"), cwd=self.folder)
            self.assertEqual((code, out), (expected[0], expected[1]), said)
            self.assertTrue(said.startswith("vernier %s %s" % (command, words[0])), said)

    def test_a_log_of_any_form_is_no_dump(self):
        """Brackets open lines of logs as they open the arrays of the first generation of dumps."""
        stamped = "".join("[2026-11-23 08:00:0%d] step: %d loss: 2.5\n" % (i, i) for i in range(1, 4))
        for name, text in (("stamped", stamped), ("quoted", stamped.replace("[2026", '["main" 2026')),
                           ("DLLogger", '{"step": [0, 10], "data": {"loss": 2.5}}\n{"step": [0, 20], "data": {"loss": 2.25}}\n'),
                           ("a record of DLLogger", '{"type": "LOG", "step": [10], "data": {"loss": 2.5}}\n'),
                           *((form[0], form[1]) for form in log_forms.FORMS)):
            with self.subTest(name):
                self.write("a.log", text)
                self.assertEqual(run("convert", "a.log", "-o", "a.csv", cwd=self.folder)[0], 0)
                if isinstance(text, str) and text.lstrip().startswith(("[", "{")):
                    self.assertTrue(self.guess("a.log")[2].startswith("vernier curves a.log"))

    def test_nothing_is_said_where_nothing_shall_be(self):
        for option in ("-q", "--redact"):
            _, _, said = self.guess(sample("gpt", "golden"), sample("gpt", "golden"), option)
            self.assertNotIn("vernier compare", said)

    def test_archives_are_looked_into_and_what_is_wrong_with_them_is_still_told(self):
        for side in ("golden", "target"):
            with tarfile.open(self.path(side + ".tar.gz"), "w:gz") as tar:
                tar.add(sample("gpt", side), side)
        with open(self.path("golden.tar.gz"), "rb") as file:
            whole = file.read()
        with open(self.path("cut.tar.gz"), "wb") as file:
            file.write(whole[:len(whole) * 9 // 10])
        for words in (["golden.tar.gz", "target.tar.gz"], ["cut.tar.gz", "target.tar.gz"]):
            code, out, said = self.guess(*words)
            self.assertEqual((code, out), run("compare", *words, "-o", self.path("y.md"), cwd=self.folder)[:2])
            self.assertTrue(said.startswith("vernier compare " + words[0]), said)
        self.assertIn("PARTIAL", out)
        self.write("no.tar", "no archive")
        code, _, said = self.guess("no.tar")
        self.assertEqual(code, 3)
        self.assertIn("neither a tar archive", said)

    def test_where_none_or_several_fit_they_are_named(self):
        golden, log = sample("gpt", "golden"), sample("curves", "golden.csv")
        self.write("empty", "")
        os.mkdir(self.path("none"))
        checkpoints.write_npy(self.path("a.npy"), checkpoints.Tensor([2], [1.0, 2.0]))
        for words, text in (([golden, log], "is a dump, %s is a training log" % log), ([golden] * 3, "compare --runs, graph, locate, check"),
                            (["a.npy", "a.npy"], "name the command: compare, tokens"), (["empty"], "unknown what this holds"), (["none"], "unknown what this holds")):
            code, out, said = self.guess(*words)
            self.assertEqual(code, 2, said)
            self.assertIn(text, said)
        self.assertFalse(os.path.exists(self.path("x.md")))
        self.assertEqual(self.guess(golden, "absent")[0], 3)
        code, _, said = run("compre", golden, golden)
        self.assertEqual(code, 2)
        self.assertIn("did you mean 'vernier compare'?", said)


if __name__ == "__main__":
    main()
