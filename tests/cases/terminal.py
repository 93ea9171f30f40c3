#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user sees: the verdict on standard output, talk on standard error, colours and links on a terminal alone.

VERNIER names the program, SAMPLES the folder of samples.
"""
import fcntl
import json
import lzma
import os
import pty
import re
import select
import struct
import subprocess
import tarfile
import termios
import time
import unittest

from program import SAMPLES, VERNIER, Case, main, shown_on

GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]


def streams(*arguments, cwd=None, **environment):
    done = subprocess.run([VERNIER, *arguments], env={**os.environ, "LC_ALL": "C", "NO_COLOR": "", **environment},
                          cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def on_terminal(*arguments, cwd=None, columns=80, **environment):
    """Exit code and what a terminal of that width gets."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {**os.environ, "LC_ALL": "C", "TERM": "xterm", "NO_COLOR": "", "CLICOLOR_FORCE": "", **environment}
    env.pop("COLUMNS", None)
    process = subprocess.Popen([VERNIER, *arguments], env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    said = shown_on(master, slave, process).decode()
    # Without the line of progress, which is overwritten in place.
    return process.returncode, said.replace("\r\n", "\n").rpartition("\r\x1b[K")[2]


class Open(Case):
    """--open, with programs of our own in the place of those that show files."""

    def opener(self, name, *lines):
        path = self.write("bin/" + name, "\n".join(("#!/bin/sh", *lines, "")))
        os.chmod(path, 0o755)

    def check_opened(self, wanted):
        """What was shown, and what of the terminal the program had; it may take longer than vernier waits for it."""
        said, end = None, time.monotonic() + 60
        while said != wanted and time.monotonic() < end:
            if os.path.exists(self.path("opened")):
                with open(self.path("opened"), encoding="utf-8") as file:
                    said = file.read()
            time.sleep(0.01)
        self.assertEqual(said, wanted)
        os.remove(self.path("opened"))

    def show(self, *words, run=on_terminal, **environment):
        there = {"PATH": self.path("bin"), "DISPLAY": ":7", "WAYLAND_DISPLAY": "", "WSL_DISTRO_NAME": "", "CI": "",
                 "BROWSER": "", **environment}
        result = run("compare", *GPT, "--open", *(words or ("-o", "o d/", "--format", "html,json")), cwd=self.folder, **there)
        self.assertEqual(result[0], 1, result)
        return result[-1]

    def record(self, name):
        self.opener(name, 'if [ -t 0 ] || [ -t 1 ] || [ -t 2 ]; then echo terminal >> "%s"; fi' % self.path("opened"),
                    'printf "%%s %%s\\n" %s "$*" >> "%s"' % (name, self.path("opened")))

    def test_the_report_is_shown_by_what_the_desktop_has(self):
        page = os.path.realpath(self.path("o d", "index.html"))
        for name in ("open", "xdg-open", "wslview"):
            self.record(name)
            self.assertNotIn("--open", self.show())
            self.check_opened("%s %s\n" % (name, page))
        self.record("mine")
        for browser, words in (("mine", page), ("none:mine --new %s", "--new " + page), ("mine --u=%s;x $(id) -y", "--u=%s;x $(id) -y" % page)):
            self.show(BROWSER=browser)
            self.check_opened("mine %s\n" % words)
        self.show("-o", "-x.svg", "-o", "b.md")
        self.check_opened("wslview %s\n" % os.path.realpath(self.path("-x.svg")))

    def test_nothing_is_shown_without_a_terminal_in_ci_or_without_a_display(self):
        self.record("xdg-open")
        for words, environment, why in (((), {"CI": "true"}, "the environment says CI"), ((), {"DISPLAY": ""}, "there is no display"),
                                        (("-o", "-", "--format", "json"), {}, "no file was written"),
                                        ((), {"run": streams}, "this is no terminal")):
            self.assertIn("warning: --open: the report is not shown: " + why, self.show(*words, **environment))
        self.assertIn("没有显示设备", self.show("--lang", "zh", "-o", "a.svg", DISPLAY=""))
        self.assertNotIn("--open", self.show("-q", "-o", "a.svg", DISPLAY=""))
        self.assertFalse(os.path.exists(self.path("opened")))
        self.show("-o", "a.svg", CI="false", DISPLAY="", WAYLAND_DISPLAY="wayland-0")
        self.check_opened("xdg-open %s\n" % os.path.realpath(self.path("a.svg")))

    def test_a_watch_shows_its_report_and_tells_a_notice_once(self):
        self.opener("xdg-open", 'echo shown >> "%s"' % self.path("opened"))
        with open(os.path.join(SAMPLES, "curves", "golden.csv"), encoding="utf-8") as file:
            rows = file.readlines()
        self.write("logs/a.csv", "".join(rows[:40]))
        os.symlink("a.csv", self.path("logs", "link"))
        with tarfile.open(self.path("logs.tar.gz"), "w:gz") as tar:
            tar.add(self.path("logs"), "logs")
        env = {**os.environ, "LC_ALL": "C", "TERM": "dumb", "PATH": self.path("bin"), "DISPLAY": ":7", "CI": "", "BROWSER": ""}
        self.write("t.csv", "".join(rows[:40]))
        master, slave = pty.openpty()
        watch = subprocess.Popen([VERNIER, "curves", "logs.tar.gz", "t.csv", "--watch", "--interval", "0.1", "--open", "-o", "o.svg"],
                                 env=env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        said, drawn = "", 0
        while drawn < 3:  # each time it has drawn the log grows
            said += os.read(master, 65536).decode()
            if said.count("the loss") > drawn:
                drawn += 1
                self.write("t.csv", "".join(rows[:40 + 5 * drawn]))
        watch.terminate()
        watch.wait()
        os.close(master)
        self.assertEqual(said.count("links in an archive are not followed"), 1, said)
        self.assertGreaterEqual(said.count("report: o.svg"), 3, said)
        self.check_opened("shown\n")

    def test_what_cannot_be_shown_is_told_and_changes_nothing(self):
        self.opener("xdg-open", "exit 3")
        self.assertIn("the program that opens it failed", self.show())
        os.mkdir(self.path("empty"))
        self.assertIn("nor open is here", self.show(PATH=self.path("empty")))
        # As posix_spawnp itself may tell it; the next one is asked.
        self.opener("wslview", "exit 127")
        self.opener("xdg-open", "exit 127")
        self.assertIn("nor open is here", self.show())
        self.record("open")
        self.assertNotIn("--open", self.show())
        self.check_opened("open %s\n" % os.path.realpath(self.path("o d", "index.html")))

    def test_a_browser_that_stays_open_is_not_waited_for(self):
        os.mkfifo(self.path("stays"))
        end = os.open(self.path("stays"), os.O_RDWR)
        self.addCleanup(os.close, end)  # and the browser ends, whatever the test finds
        self.opener("xdg-open", 'echo here > "%s"' % self.path("opened"), 'read line < "%s"' % self.path("stays"))
        self.assertNotIn("--open", self.show())
        self.check_opened("here\n")


class Terminal(Case):
    def compare(self, *arguments, **environment):
        return streams("compare", *GPT, "--format", "json", *arguments, cwd=self.folder, **environment)

    def test_the_verdict_stands_on_standard_output_and_talk_beside_it(self):
        code, out, said = self.compare()
        self.assertEqual((code, out.count("\n")), (1, 1), out)
        self.assertTrue(out.startswith("DIVERGES  at Functional.linear.8.forward"), out)
        self.assertNotIn("DIVERGES", said)
        self.assertIn("read 2 dumps, ", said)
        self.assertIn("report: vernier-compare/summary.json\n", said)
        self.assertNotIn("\x1b", out + said)

    def test_an_output_on_standard_output_stands_there_alone(self):
        code, out, said = self.compare("-o", "-", "--format", "json")
        self.assertEqual((code, out[0], out.rstrip()[-1]), (1, "{", "}"))
        self.assertTrue(said.rstrip().split("\n")[-1].startswith("DIVERGES  at"), said)
        code, out, said = streams("study", "--init", *GPT, cwd=self.folder)
        self.assertNotIn("found", out)
        self.assertIn("found 2 inputs", said)

    def test_a_ticket_tells_the_versions_that_a_dump_tells_and_guesses_none(self):
        with open(os.path.join(GPT[0], "step0", "rank0", "dump.json"), encoding="utf-8") as file:
            dump = file.read()
        self.write("run/step0/rank0/dump.json", dump.replace("{", '{"torch_version": "2.1.0", "msprobe_version": "26.0", "cann_version": 8,'
                                                             '"version": "7", "x_version": "%s",' % ("9" * 101), 1))
        runs = os.path.join(SAMPLES, "ranks", "golden")
        self.assertEqual(streams("convert", "run", "-o", "run.jsonl", cwd=self.folder)[0], 0)
        for run in ("run", "run.jsonl"):
            self.assertEqual(streams("compare", run, GPT[1], "-o", "t.md", "-o", "t.json", cwd=self.folder)[0], 1)
            with open(self.path("t.md"), encoding="utf-8") as file:
                ticket = file.read()
            self.assertIn("| pytorch mix, statistics; float32, bool, int64; torch 2.1.0, msprobe 26.0 | 1 | 1 | 421 |\n| target |", ticket)
            self.assertIn("| pytorch mix, statistics; float32, bool, int64 | 1 | 1 | 421 |\n\n", ticket)
            with open(self.path("t.json"), encoding="utf-8") as file:
                summary = json.load(file)
            self.assertEqual([summary[side]["versions"] for side in ("golden", "target")], ["torch 2.1.0, msprobe 26.0", None])
        self.assertEqual(streams("compare", runs, runs, "-o", "t.md", cwd=self.folder)[0], 0)
        with open(self.path("t.md"), encoding="utf-8") as file:
            self.assertIn("; float32, int64, bool | 1 | 4 | 896 |", file.read())

    def test_the_report_names_what_to_open_first(self):
        _, _, said = self.compare("-o", "whole", "--format", "html,md,json")
        self.assertRegex(said, r"report: whole/index\.html \(3 files, \d\.\d MB\)\n")
        _, _, said = self.compare("-o", "a.svg", "-o", "text", "--format", "md,csv")
        self.assertIn("report: a.svg\n", said)
        self.assertIn("report: text/summary.md (3 files, ", said)
        _, _, said = self.compare("-o", self.path("secret/r.json"), "--redact")
        self.assertIn("report: r.json\n", said)

    def test_quiet_says_only_news_and_twice_quiet_nothing(self):
        self.assertEqual(streams("compare", GPT[0], GPT[0], "-q", cwd=self.folder), (0, "", ""))
        code, out, said = self.compare("--quiet")
        self.assertEqual((code, out[:8], said), (1, "DIVERGES", ""))
        self.assertEqual(self.compare("--quiet", "--exit-zero"), (0, "", ""))
        for twice in (["-q", "-q"], ["-qq"], ["--quiet", "-q"]):
            self.assertEqual(self.compare(*twice), (1, "", ""))
        self.assertEqual(streams("compare", GPT[0], "missing", "-qq", cwd=self.folder), (3, "", ""))
        self.assertEqual(streams("compare", GPT[0], "--no-such-option", "-qq", cwd=self.folder), (2, "", ""))
        code, out, said = streams("compare", GPT[0], "missing", "-q", cwd=self.folder)
        self.assertEqual((code, out, said.count("error: ")), (3, "", 1))

    def test_a_verdict_that_cannot_be_written_is_no_success(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([VERNIER, "compare", GPT[0], GPT[0], "-o", self.out, "--format", "json"], stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 5)
        self.assertIn(b"the verdict cannot be written", done.stderr)

    def test_whatever_is_printed_and_does_not_arrive_is_no_success(self):
        words = (["help"], ["help", "exit"], ["help", "compare"], ["--help"], ["version"], ["version", "--verbose"], ["compare", "--help"],
                 ["completion", "bash"], ["man", "compare"], ["study", "--init", *GPT], ["compare", GPT[0], GPT[0], "-o", "-"],
                 ["locate", GPT[0], "-o", "-"], ["graph", GPT[0], "-o", "-"], ["compare", GPT[0], GPT[1], "-q", "-o", self.out])
        for arguments in words:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([VERNIER, *arguments], stdout=full, stderr=subprocess.PIPE, cwd=self.folder)
            self.assertEqual(done.returncode, 5, (arguments, done.stderr))
            self.assertIn(b"vernier: error: ", done.stderr, arguments)

    def test_colours_are_what_the_command_line_asks_for_then_the_environment(self):
        red = "\x1b[1;31mDIVERGES"
        for options, environment, want in ((["--color", "always"], {"NO_COLOR": "1"}, True), ([], {}, False),
                                           ([], {"CLICOLOR_FORCE": "1"}, True), (["--color=never"], {"CLICOLOR_FORCE": "1"}, False),
                                           ([], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False)):
            self.assertEqual(red in self.compare(*options, **environment)[1], want, (options, environment))
        self.assertIn("expected one of auto|always|never", self.compare("--color", "red")[2])

    def test_a_terminal_gets_colours_and_links_and_a_dumb_one_neither(self):
        arguments = ["compare", *GPT, "-o", "o", "--format", "html"]
        code, said = on_terminal(*arguments, cwd=self.folder)
        self.assertEqual(code, 1)
        self.assertIn("\x1b[1;31mDIVERGES", said)
        self.assertRegex(said, r"report: \x1b\]8;;file://[^\x1b]*/o/index\.html\x1b\\o/index\.html\x1b\]8;;\x1b\\")
        _, said = on_terminal(*arguments, cwd=self.folder, TERM="dumb")
        self.assertNotIn("\x1b", said)
        _, said = on_terminal(*arguments, "--redact", cwd=self.folder)
        self.assertNotIn("\x1b]8", said)

    def test_a_tree_of_the_divergence_stands_under_the_verdict(self):
        arguments = ["compare", *GPT, "-o", "r.json"]
        for columns in (80, 40):
            code, said = on_terminal(*arguments, "--color", "never", cwd=self.folder, columns=columns)
            tree = said[said.index("DIVERGES"):].split("\n")[1:-1]
            self.assertEqual((code, tree[:2]), (1, ["Forward", "├ = tok … blocks.1: same statistics"]))
            self.assertRegex("\n".join(tree), r"│ │ └ ■ linear\.8.* = → 2\.91e-05\n│ │ ├ ▒ matmul")
            self.assertIn(len(tree), range(10, 18))
            self.assertLessEqual(max(map(len, tree)), columns)
        _, said = on_terminal(*arguments, cwd=self.folder)
        self.assertIn("└ \x1b[1;31m■ linear.8  Functional\x1b[0m", said)
        self.assertIn("\x1b[31m▒ drop  Dropout\x1b[0m", said)
        for quiet in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            said = on_terminal(*arguments, "--redact", cwd=self.folder, **quiet)[1]
            self.assertIn("■ linear.8  Functional", said)
            self.assertNotIn("\x1b", said)
        self.assertNotIn("■", on_terminal(*arguments, "-q", cwd=self.folder)[1])
        self.assertNotIn("■", on_terminal("compare", GPT[0], GPT[0], "-o", "r.json", cwd=self.folder)[1])
        self.assertNotIn("■", streams(*arguments, cwd=self.folder)[1])

    def test_the_tree_of_a_run_in_parts_is_that_of_the_whole(self):
        ranks = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
        formats = ["--format", "md", "--color", "never"]
        whole = on_terminal("compare", *ranks, "-o", "whole", *formats, cwd=self.folder)[1]
        for part in ("1/2", "2/2"):
            streams("compare", *ranks, "--shard", part, "-o", "parts/" + part[0], "--format", "md", cwd=self.folder)
        merged = on_terminal("merge", "parts", "-o", "merged", *formats, cwd=self.folder)[1]
        self.assertIn("■ all_reduce.3  Distributed", whole)
        self.assertEqual(whole[whole.index("DIVERGES"):], merged[merged.index("DIVERGES"):])
        with open(self.path("whole", "summary.md"), encoding="utf-8") as file:
            ticket = file.read()
        self.assertIn("├ ■ all_reduce.3  Distributed", ticket)

    def test_the_ticket_says_where_why_and_what_next(self):
        streams("compare", *GPT, "-o", "bug.md", cwd=self.folder)
        with open(self.path("bug.md"), encoding="utf-8") as file:
            ticket = file.read()
        for words in ("Module: `Module.blocks.2.attn.qkv.Linear.forward.0`\n", "the result looks rounded to bfloat16",
                      "Look at next: the kernel of this op", "│ │ │ └ ■ linear.8  Functional", "| `Torch.norm.26.forward` |",
                      " vernier " + streams("version")[1].split()[1]):
            self.assertIn(words, ticket)
        streams("compare", GPT[0], GPT[0], "-o", "same.md", cwd=self.folder)
        with open(self.path("same.md"), encoding="utf-8") as file:
            self.assertNotIn("Look at next", file.read())


class Progress(Case):
    """A log that comes as slowly as the test wants it."""

    def follow(self, *words, until=None, **environment):
        """What the terminal got, the log held back until it has shown `until`, or for longer than a line takes to come."""
        master, slave = pty.openpty()
        env = {**os.environ, "LC_ALL": "C", "TERM": "xterm", "NO_COLOR": "1", **environment}
        process = subprocess.Popen([VERNIER, "curves", "-", "-o", self.path("c.json"), *words], env=env, stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=slave)
        self.addCleanup(process.kill)
        said, end = b"", time.monotonic() + 60
        if until is None:
            time.sleep(1)
        while until and until not in said:
            self.assertTrue(select.select([master], [], [], max(0, end - time.monotonic()))[0], said)
            said += os.read(master, 65536)
        process.stdin.write(b"step,loss\n1,9.0\n2,8.5\n3,8.1\n")
        process.stdin.close()
        said += shown_on(master, slave, process)
        self.assertEqual(process.returncode, 0)
        return said.decode()

    def test_what_takes_longer_than_half_a_second_is_told_on_one_line_that_goes(self):
        said = self.follow(until=b"reading, ")
        line, _, rest = said.rpartition("\r\x1b[K")
        self.assertRegex(line, r"^\r\x1b\[Kreading, \d+ s")
        self.assertNotIn("\n", line)
        self.assertTrue(rest.startswith("read 1 file"), rest)
        self.assertIn("正在读取", self.follow("--lang", "zh", until="正在读取".encode()))

    def test_it_is_silent_where_it_would_be_in_the_way(self):
        for words, environment in ((["-q"], {}), ([], {"TERM": "dumb"})):
            self.assertNotIn("reading", self.follow(*words, **environment))

    def test_what_is_quick_shows_none(self):
        for _ in range(20):
            begin = time.monotonic()
            said = self.follow(until=b"")
            if time.monotonic() - begin < 0.4:
                self.assertNotIn("\x1b", said.split("report: ")[0])
                return
        self.skipTest("this machine is too busy to be quick")


class Typing(Case):
    def refused(self, *arguments):
        code, out, said = streams(*arguments, cwd=self.folder)
        self.assertEqual((code, out), (2, ""), arguments)
        self.assertEqual(os.listdir(self.folder), [], arguments)
        return said

    def test_a_slip_of_the_keys_is_answered_with_what_was_meant(self):
        for arguments, meant in ((["comapre"], "'vernier compare'"), (["diff", "a", "b"], "'vernier compare'"), (["watch", "a.log"], "'vernier curves'"),
                                 (["help", "curve"], "'vernier help curves'"), (["compare", "a", "b", "--nosie", "x"], "--noise?"),
                                 (["compare", "a", "b", "--out=x"], "--output?"), (["compare", *GPT, "--format", "html,xls"], "xlsx?"),
                                 (["graph", GPT[0], "--theme", "drak"], "did you mean dark?")):
            self.assertIn("did you mean", self.refused(*arguments))
            self.assertIn(meant, self.refused(*arguments))
        for arguments in (["qwrtp"], ["compare", "a", "b", "--qwrtp"], ["compare", *GPT, "--format", "qwrtp"]):
            self.assertNotIn("did you mean", self.refused(*arguments))
        self.assertIn("known are html, svg, png", self.refused("compare", *GPT, "--format", "qwrtp"))
        self.assertIn("是不是 --noise", self.refused("compare", "a", "b", "--nosie", "x", "--lang", "zh"))

    def test_a_slip_with_paths_is_answered_with_what_to_type(self):
        self.write("report", "")
        self.write("log.csv", "step,loss,grad_norm\n" + "".join("%d,%g,1\n" % (i, 9 - i * 0.1) for i in range(1, 20)))
        os.mkdir(self.path("dumps"))
        os.mkdir(self.path("plan"))
        self.write("plan/study.yaml", "")
        for code, arguments, text in (
                (3, ["study", "dumps"], "vernier study --init dumps > study.yaml"), (3, ["study", "plan"], "vernier study plan/study.yaml\n"),
                (5, ["compare", *GPT, "-o", "report"], "report: is a file, not a folder"), (5, ["compare", *GPT, "-o", "/dev/null"], "/dev/null: is a file, not a folder"),
                (2, ["compare", *GPT, "--format", "none"], "hint: --format txt -o - prints"), (5, ["compare", *GPT, "-o", "report/x/"], "report.html"),
                (2, ["compare", *GPT, "-o", "a.json", "--format", "html"], "nothing is written as 'html'"),
                (2, ["compare", *GPT, "-o", "a.json", "--format", "json,md"], "-o FOLDER and --format"),
                (2, ["advise", "skip", "a.log", "b.log"], "vernier advise skip a.log,b.log\n"),
                (3, ["curves", "log.csv", "--series", "grad_nrom"], "did you mean grad_norm?"), (3, ["curves", "log.csv", "--series", "qwrtp"], "there are loss, grad_norm"),
                (3, ["graph", "s3://a/b"], "reads local files"), (3, ["curves", "~/log"], "write the folder in full"), (3, ["graph", "C:\\a"], "/mnt/c/dump")):
            got, _, said = streams(*arguments, cwd=self.folder)
            self.assertEqual(got, code, said)
            self.assertIn(text, said)
        self.assertFalse(os.path.exists(self.path("a.json")))
        self.assertEqual(streams("compare", *GPT, "-o", "a.json", "-o", "all", "--format", "html", cwd=self.folder)[0], 1)
        self.assertEqual(streams("compare", *GPT, "-o", "a.json", "-o", "a.md", "--format", "md,json", cwd=self.folder)[0], 1)
        self.assertEqual(streams("compare", *GPT, "-o", "b.json", cwd=self.folder, VERNIER_FORMAT="html")[0], 1)
        self.assertIn("-g RUN names it", streams("curves", *["log.csv"] * 3, cwd=self.folder)[2])
        self.assertNotIn("-g RUN", streams("curves", *["log.csv"] * 2, cwd=self.folder)[2])

    def test_an_unknown_ending_makes_no_folder_of_that_name(self):
        for name in ("a.jpg", "report.docx", "bug.svg.gz", "t.rtf"):
            said = self.refused("compare", *GPT, "-o", name)
            self.assertIn("known are .html, .svg, .png", said)
            self.assertIn("for a folder of that name write %s/" % name, said)
            self.assertNotIn(", ,", said)
        for name, first in (("bug.SVG", "bug.SVG"), ("a.jpg/", "a.jpg/summary.json"), ("run.2026", "run.2026/summary.json")):
            code, _, said = streams("compare", *GPT, "-o", name, *(() if name == "bug.SVG" else ("--format", "json")), cwd=self.folder)
            self.assertEqual((code, "report: %s\n" % first in said), (1, True), said)
        os.mkdir(self.path("old.dir"))
        self.assertEqual(streams("compare", *GPT, "-o", "old.dir", "--format", "json", cwd=self.folder)[0], 1)

    def test_a_file_that_is_no_dump_is_called_what_it_is(self):
        with open(os.path.join(GPT[0], "step0", "rank0", "dump.json"), "rb") as file:
            dump = file.read()
        self.write("dump.json.xz", lzma.compress(dump, preset=0))
        with tarfile.open(self.path("dumps.old"), "w") as tar:
            tar.add(GPT[0], "golden")
        stack = os.path.join(GPT[0], "step0", "rank0", "stack.json")
        config = os.path.join(SAMPLES, "config", "bench_pretrain.sh")
        log = os.path.join(SAMPLES, "curves", "golden.csv")
        for path, words in ((self.path("dump.json.xz"), "unpack it first"), (self.path("dumps.old"), "a name that ends in .tar"),
                            (stack, "name the dump.json"), (config, "vernier checklist GOLDEN TARGET"), (log, "vernier curves")):
            code, out, said = streams("compare", path, GPT[1], "-o", "r.json", cwd=self.folder)
            self.assertEqual((code, out.startswith("PARTIAL NOT COMPARED")), (3, True), path)
            self.assertIn(words, said)
            self.assertNotIn("byte", said)
        renamed = self.write("dump.log", dump)
        self.assertEqual(streams("compare", GPT[0], renamed, "-o", "r.json", cwd=self.folder)[0], 0)

    def test_options_of_every_command_may_stand_before_it(self):
        self.assertEqual(streams("-V"), streams("version"))
        self.assertEqual(streams("-q", "compare", GPT[0], GPT[0], cwd=self.folder), (0, "", ""))
        for before in (["--lang", "zh"], ["--lang=zh", "-j1"], ["-j", "1", "--lang", "zh"]):
            code, out, _ = streams(*before, "compare", *GPT, "-o", "r.json", cwd=self.folder)
            self.assertEqual((code, out[:2]), (1, "不一"), before)
        self.assertEqual(streams("-h", "compare")[1], streams("help", "compare")[1])
        self.assertIn("unknown command '--nosuch'", streams("--nosuch", "compare")[2])

    def table(self, page, header):
        """Rows of a table of the manual, as help prints them: without links, but for the page that one in brackets names."""
        with open(os.path.join(os.path.dirname(SAMPLES), "docs", page), encoding="utf-8") as file:
            lines = file.read().split("| %s |" % header)[1].split("\n\n")[0].split("\n")[2:]
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
        rows = [[re.sub(r"([(（])\[[^]]*\]\((?:\.\./)*([^)]*)\)", r"\1docs/\2", cell) for cell in row] for row in rows]
        return [[re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell).strip().replace("\\|", "|") for cell in row] for row in rows]

    @unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(SAMPLES), "docs")), "the manual is not here")
    def test_help_of_criteria_holds_the_tables_of_the_manual(self):
        said = streams("help", "criteria")[1]
        for header in ("metric", "key"):
            for term, text in self.table("criteria.md", header):
                self.assertRegex(said, r"(?m)^  %s +%s$" % (re.escape(term.replace("`", "")), re.escape(text)))
        # What help tells of is what the reader knows, and its example is read.
        keys = re.findall(r"(?m)^  ([a-z][a-z, ]*?)  +\S", said.split("\nLimits")[1])
        own = [key for key in keys[3:] if key not in ("absolute", "order", "unmatched")]
        for text, known in (("limits: {x: 1}", keys[:3]), ("rules: [{ignore: true, x: 1}]", own), ("x: 1", ["limits", "rules", "order", "unmatched"]),
                            ("limits: {max: {pass: 1, x: 1}}", ["pass", "warning", "absolute"])):
            refused = streams("compare", *GPT, "--criteria", self.write("c.yaml", text), "-o", "r.json", cwd=self.folder)[2]
            self.assertIn("known are: %s\n" % ", ".join(known), refused)
        self.write("c.yaml", re.search(r"(?s)\n\n(  limits:.*?)\n\n", said).group(1))
        self.assertEqual(streams("compare", *GPT, "--criteria", "c.yaml", "-o", "r.json", cwd=self.folder)[0], 1)

    def test_help_of_two_words_is_refused_and_options_beside_one_are_not(self):
        for words in (["inputs", "extra"], ["compare", "curves"], ["compare", "--lang", "en", "extra"], ["inputs", "--nosuch"]):
            code, said, told = streams("help", *words)
            self.assertEqual((code, said), (2, ""))
            self.assertIn("help takes one word, found a second: '%s'" % words[-1], told)
        self.assertEqual(streams("help", "compare", "--lang", "en", "-q")[0], 0)

    def test_commands_without_a_product_tell_how_they_are_called_too(self):
        for name, usage in (("config", "vernier config [--config FILE|--no-config]"), ("version", "vernier version [--verbose]"),
                            ("completion", "vernier completion bash|zsh|fish"), ("man", "vernier man [COMMAND]")):
            said = streams("help", name)
            self.assertEqual((said[0], said[1].split("\n")[0], said[2]), (0, usage, ""))
            for words in ([name, "--help"], [name, "-h"], ["-h", name]):
                self.assertEqual(streams(*words), said, words)
        self.assertEqual(streams("help", "--help"), streams("help"))

    def test_commands_without_a_product_know_the_options_of_every_command_and_refuse_other_words(self):
        self.assertEqual(streams("--lang", "zh", "man", "compare"), streams("man", "compare", "--lang", "zh"))
        self.assertEqual(streams("-q", "completion", "bash"), streams("completion", "bash"))
        self.assertEqual(streams("--lang", "zh", "help", "compare"), streams("help", "compare", "--lang", "zh"))
        self.assertEqual(streams("--lang=en", "version", "--verbose"), streams("version", "--verbose"))
        for words in (["man", "compare", "curves"], ["completion", "bash", "zsh"], ["version", "--verbose", "zsh"]):
            code, said, told = streams(*words)
            self.assertEqual((code, said), (2, ""), words)
            self.assertIn("found", told)
            self.assertIn("'%s'" % words[-1], told)

    def test_lines_of_help_fit_the_terminal_and_are_whole_elsewhere(self):
        for words in (["help", "curves"], ["help", "inputs"], ["help", "criteria"], ["help", "formats"], ["help", "logs"]):
            for lang in ("en", "zh"):
                whole = streams(*words, LC_ALL=lang)[1]
                for columns in (80, 60):
                    said = on_terminal(*words, columns=columns, LC_ALL=lang)[1]
                    self.assertEqual(re.sub(r"\s", "", said), re.sub(r"\s", "", whole))
                    wide = [line for line in said.split("\n") if sum(1 + (ord(c) > 0x2E80) for c in line) > columns]
                    self.assertFalse([line for line in wide if line not in whole.split("\n")], words)
                    self.assertGreaterEqual(said.count("\n"), whole.count("\n") + 9 * ("inputs" in words))

    def test_overview_rules_and_checks_are_no_wider_than_the_terminal(self):
        for words in ([], ["help"], ["help", "rules"], ["help", "checks"], ["help", "exit"], ["help", "formats"]):
            for lang in ("en", "zh"):
                whole = "".join(streams(*words, LC_ALL=lang)[1:])
                for columns in (80, 40):
                    said = on_terminal(*words, columns=columns, LC_ALL=lang)[1]
                    wide = [line for line in said.split("\n") if sum(1 + (ord(c) > 0x2E80) for c in line) > columns]
                    self.assertEqual(wide, [], words)
                    if words[1:] != ["checks"]:  # elsewhere it is a table
                        self.assertEqual(re.sub(r"\s", "", said), re.sub(r"\s", "", whole))

    def test_help_has_every_format_and_every_exit_code(self):
        code, formats, _ = streams("help", "formats")
        words = re.findall(r"(?m)^  ([a-z-]+) ", formats)
        script = streams("completion", "bash")[1]
        known = re.search(r"--format\)[^']*'([^']*)'|--format\) words='([^']*)'", script)
        self.assertEqual((code, sorted(words)), (0, sorted((known.group(1) or known.group(2)).split())))
        self.assertEqual(re.findall(r"(?m)^  (\d+)", streams("help", "exit")[1]), ["0", "1", "2", "3", "4", "5", "130"])


if __name__ == "__main__":
    main()
