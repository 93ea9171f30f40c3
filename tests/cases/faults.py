#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Failures of the machine under every command: whatever fails, the program ends with a code of its
own, says why, leaves no half file and no temporary one, and what was there before stays.

VERNIER names the program, INJECT the library that makes calls fail (tests/faults/inject.c), PRELOAD
what has to be loaded before it, SAMPLES the folder of samples. With FULL set every place fails once,
else some of them. Under sanitizers allocations cannot be made to fail.
"""
import collections
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
import xml.dom.minidom
import zipfile

from small_inputs import COMMANDS, TEXTS, make_inputs
from program import VERNIER, main

INJECT = os.environ["INJECT"]
PRELOAD = os.environ.get("PRELOAD", "")
SANITIZED = os.environ.get("SANITIZED") == "1"
FULL = bool(os.environ.get("FULL"))
EARLIER = b"an earlier result\n"
CODES = {0, 1, 3, 4, 5}

random.seed(7)


BOOKS = {
    "workbook": (["compare", "golden/step0/rank0", "target/step0/rank0"], "xlsx"),
    "workbooks": (["compare", "golden", "target", "--jobs", "1"], "xlsx"),
    "database": (["compare", "golden/step0/rank0", "target/step0/rank0"], "vis-db"),
    "graphs": (["graph", "golden"], "vis-db"),
    "pictures": (["compare", "golden/step0/rank0", "target/step0/rank0"], "png,pdf"),
}


def whole(name, data):
    """Whether the bytes are a finished file of their format."""
    suffix = name.rsplit(".", 1)[-1]
    if suffix == "json":
        json.loads(data)
    elif suffix in ("svg", "xml"):
        xml.dom.minidom.parseString(data)
    elif suffix == "html":
        return data.rstrip().endswith(b"</html>")
    elif suffix in ("csv", "md"):
        return data.endswith(b"\n")
    elif suffix == "png":
        return data.endswith(b"IEND\xaeB`\x82")
    elif suffix == "pdf":
        return data.rstrip().endswith(b"%%EOF")
    return True


def cells(data):
    """Every cell of every sheet, without its style."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        assert book.testzip() is None
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
        return {name: re.findall(rb"<c[ >].*?(?:/>|</c>)", re.sub(rb' s="\d+"', b"", book.read(name))) for name in sheets}


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        os.chdir(cls.folder)
        make_inputs()
        os.mkdir("temporary")
        cls.references = {}

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        shutil.rmtree(cls.folder)

    def run_once(self, arguments, formats, fault=None, number=None, limit=None):
        env = dict(os.environ, LC_ALL="C", NO_COLOR="1", TMPDIR=os.path.join(self.folder, "temporary"))
        env["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0:handle_segv=1:detect_stack_use_after_return=1"
        if fault:
            env["LD_PRELOAD"] = (PRELOAD + " " + INJECT).strip()
            env["FAULT"] = fault
            env["FAULT_COUNT"] = os.path.join(self.folder, "count")
            if number:
                env["FAULT_ERRNO"] = str(number)
        before = (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None
        done = subprocess.run([VERNIER, *arguments, "-o", "out", "--format", formats], env=env, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)
        return done.returncode, (done.stderr + done.stdout).decode(errors="replace")

    def files(self):
        found = {}
        for name in set(os.listdir("out")) - {".vernier-files", ".vernier-lock"}:  # without it old files stay, no more
            with open(os.path.join("out", name), "rb") as file:
                found[name] = file.read()
        return found

    def reference(self, name):
        """What the command gives when nothing fails, and how often it could have failed."""
        if name not in self.references:
            arguments, formats = COMMANDS.get(name) or BOOKS[name]
            shutil.rmtree("out", ignore_errors=True)
            code, said = self.run_once(arguments, formats, "none")
            self.assertIn(code, CODES, said)
            with open("count", encoding="utf-8") as file:
                counts = dict(zip(("alloc", "call", "write"), map(int, file.read().split())))
            self.references[name] = (code, self.files(), counts)
        return self.references[name]

    def prepare(self, reference):
        """The folder as an earlier run left it."""
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        for name in reference:
            with open(os.path.join("out", name), "wb") as file:
                file.write(EARLIER)

    def check(self, name, code, said, label, library_may_end=False):
        expected, reference, _ = self.reference(name)
        label = "%s %s: exit %s, said: %s" % (name, label, code, said)
        died = code < 0 and library_may_end
        if not died:
            self.assertIn(code, CODES, label)
        found = self.files()
        quiet = "PARTIAL" not in said and "vernier: " not in said
        if name == "shard" and "PARTIAL" in said:  # other pairs fall to this part
            self.assertEqual(set(reference) - set(found), set(), label)
            self.assertFalse([file for file in found if file.startswith(".") or file.count(".") > 1], label)
        else:
            self.assertEqual(sorted(found), sorted(reference), label)  # nothing lost, nothing left behind
        self.assertEqual(os.listdir("temporary"), [], label)
        for file, data in found.items():
            if data not in (EARLIER, reference.get(file)):
                self.assertTrue(whole(file, data), label + ": " + file)
                self.assertFalse(quiet and file.endswith(".db"), label + ": " + file)
                if quiet and file.endswith(".xlsx"):
                    self.assertEqual(cells(data), cells(reference[file]), label)
        self.assertNotIn("Sanitizer", said, label)
        if code in (3, 5):
            self.assertTrue("vernier: " in said or "NOT COMPARED" in said, label)
        if code == expected and quiet and name not in ("workbook", "workbooks", "pictures"):
            for file in reference:  # what failed did not matter
                self.assertTrue(found[file] == reference[file], label + ": " + file)
        return code

    def sweep(self, name, kind, most, number=None, suffix="", library_may_end=False):
        arguments, formats = COMMANDS.get(name) or BOOKS[name]
        _, reference, counts = self.reference(name)
        places = range(1, counts[kind] + 1)
        if not FULL and len(places) > most:
            places = sorted(random.sample(places, most))
        codes = collections.Counter()
        for place in places:
            self.prepare(reference)
            fault = "%s:%d%s" % (kind, place, suffix)
            code, said = self.run_once(arguments, formats, fault, number)
            codes[self.check(name, code, said, fault, library_may_end)] += 1
        return codes

    def test_every_command_stands_in_the_list(self):
        said = subprocess.run([VERNIER, "help"], stdout=subprocess.PIPE, env=dict(os.environ, LC_ALL="C")).stdout.decode()
        commands = {line.split()[0] for line in said.split("\n") if line.startswith("  ") and line[2] != " "}
        without_formats = {"version", "help", "man", "completion", "convert", "config", "explain", "init"}
        self.assertEqual(commands - without_formats, {arguments[0] for arguments, _ in COMMANDS.values()})

    def test_any_call_into_the_system_may_fail(self):
        for name in COMMANDS:
            codes = self.sweep(name, "call", 2)
            # An input that cannot be read is an error of its own or, among several, leaves the result partial.
            self.assertTrue(not FULL or (5 in codes and codes.keys() & {3, 4}), (name, codes))

    @unittest.skipIf(SANITIZED, "the sanitizer has allocations of its own")
    def test_any_allocation_may_fail(self):
        for name in COMMANDS:
            codes = self.sweep(name, "alloc", 4)
            # SQLite does without some, and so does a run that gets no thread: `check` then wants every byte.
            self.assertLessEqual(set(codes), {3, 5, self.reference(name)[0]}, (name, codes))
            self.assertTrue(3 in codes or not FULL, (name, codes))

    @unittest.skipIf(SANITIZED, "the sanitizer has allocations of its own")
    def test_libraries_without_memory_leave_no_half_file_either(self):
        """Pango and libxlsxwriter may end the program; SQLite does not. Where libxlsxwriter goes on without what it had
        no memory for, no workbook without a cell is kept."""
        for name in BOOKS:
            self.sweep_some(name, "alloc", 400 if FULL else 3)

    def sweep_some(self, name, kind, most):
        arguments, formats = BOOKS[name]
        _, reference, counts = self.reference(name)
        places = sorted(random.sample(range(1, counts[kind] + 1), min(most, counts[kind])))
        codes = collections.Counter()
        for place in places:
            self.prepare(reference)
            code, said = self.run_once(arguments, formats, "%s:%d" % (kind, place))
            codes[self.check(name, code, said, "%s:%d" % (kind, place), name not in ("database", "graphs"))] += 1
        return codes

    def test_any_call_may_fail_while_books_and_pictures_are_written(self):
        for name in BOOKS:
            self.sweep_some(name, "call", 400 if FULL else 2)

    def test_a_history_has_all_of_a_night_or_nothing_whatever_fails(self):
        words = ["compare", "golden/step0/rank0", "target/step0/rank0", "--title", "tonight", "--history", "nights.db"]
        with open("nights.db", "rb") as file:
            before = file.read()
        facts = self.nights("nights.db")
        shutil.rmtree("out", ignore_errors=True)
        code, said = self.run_once(words, "json", "none")
        self.assertEqual(code, 1, said)
        after = self.nights("nights.db")
        self.assertEqual(len(after), len(facts) + 1)
        with open("count", encoding="utf-8") as file:
            counts = dict(zip(("alloc", "call", "write"), map(int, file.read().split())))
        kinds = ("call", "kill") if SANITIZED else ("call", "kill", "alloc")
        for kind in kinds:
            places = range(1, counts["call" if kind == "kill" else kind] + 1)
            for place in places if FULL else sorted(random.sample(places, 3)):
                self.put_nights(before)
                code, said = self.run_once(words, "json", "%s:%d" % (kind, place))
                found = self.nights("nights.db")
                # A night whose dumps could not be read in full has other facts.
                if "PARTIAL" not in said or len(found) != len(after):
                    self.assertIn(found, (facts, after), (kind, place, said))
                    self.assertTrue(found == after or code != 1, (kind, place, said))
        self.put_nights(before)  # other tests read it

    def put_nights(self, data):
        for name in [name for name in os.listdir(".") if name.startswith("nights.db-")]:
            os.remove(name)
        with open("nights.db", "wb") as file:
            file.write(data)

    def nights(self, path):
        """By night how many facts it has; reading ends what a killed run left open."""
        connection = sqlite3.connect(path)
        self.assertEqual(connection.execute("pragma integrity_check").fetchone(), ("ok",))
        found = connection.execute("select night, count(*) from facts group by night order by night").fetchall()
        connection.close()
        return found

    def test_a_disk_that_is_full_keeps_the_earlier_results(self):
        for name in COMMANDS:
            codes = self.sweep(name, "write", 1, number=28, suffix="-")
            # Where the list of files alone did not fit, check() has held every output against the reference.
            self.assertLessEqual(set(codes), {5, self.reference(name)[0]}, (name, codes))

    def test_a_limit_on_the_size_of_files_is_a_failed_output(self):
        for name in list(BOOKS) + ["compare"]:
            arguments, formats = COMMANDS.get(name) or BOOKS[name]
            code, reference, _ = self.reference(name)
            largest = max(map(len, reference.values()))
            for part in range(1, 40 if FULL else 2):
                limit = max(1, largest * part // (40 if FULL else 2))
                self.prepare(reference)
                got, said = self.run_once(arguments, formats, limit=(resource.RLIMIT_FSIZE, limit))
                self.check(name, got, said, "files up to %d bytes" % limit)
                self.assertEqual(got, 5, said)

    def test_threads_leave_behind_a_failed_output_what_one_leaves(self):
        left = {}
        for jobs in ("1", "4"):
            for limit in (1000, 20000, 100000):
                shutil.rmtree("out", ignore_errors=True)
                code, said = self.run_once([*COMMANDS["compare"][0], "-j" + jobs], "html,svg,png,json,xlsx",
                                           limit=(resource.RLIMIT_FSIZE, limit))
                self.assertEqual(code, 5, said)
                names = set(os.listdir("out") if os.path.isdir("out") else []) - {".vernier-files", ".vernier-lock"}
                self.assertEqual("report:" in said, bool(names), said)
                left.setdefault(limit, []).append(sorted(names))
        for limit, (alone, together) in left.items():
            self.assertEqual(alone, together, limit)

    def test_a_path_that_is_named_twice_is_one_output(self):
        done = subprocess.run([VERNIER, *COMMANDS["compare"][0], "-o", "a.svg", "-o", "a.svg"], stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.stderr.decode().count("report: "), 1)

    @unittest.skipUnless(os.path.isdir("/dev/shm") and os.geteuid() == 0, "needs a file system of its own")
    def test_a_small_disk_that_is_really_full(self):
        os.makedirs("disk", exist_ok=True)
        for kilobytes in ((8, 24, 64, 100, 160) if FULL else (24, 100)):
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % kilobytes, "none", "disk"],
                                     stderr=subprocess.DEVNULL).returncode == 0
            if not mounted:
                self.skipTest("cannot mount")
            try:
                done = subprocess.run([VERNIER, *COMMANDS["compare"][0], "-o", "disk/out", "--format", TEXTS + ",xlsx"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
                self.assertEqual(done.returncode, 5, done.stderr)
                for name in set(os.listdir("disk/out") if os.path.isdir("disk/out") else []) - {".vernier-files", ".vernier-lock"}:
                    with open(os.path.join("disk/out", name), "rb") as file:
                        self.assertTrue(not name.startswith(".") and whole(name, file.read()), name)
            finally:
                subprocess.run(["umount", "disk"])

    def test_little_memory_and_few_files_end_with_a_message(self):
        limits = [(resource.RLIMIT_NOFILE, n) for n in (range(3, 14) if FULL else (4, 9))]
        if not SANITIZED:
            limits += [(resource.RLIMIT_AS, mb << 20) for mb in (range(30, 160, 5) if FULL else (70,))]
        for limit in limits:
            self.prepare(self.reference("compare")[1])
            code, said = self.run_once(*COMMANDS["compare"], limit=limit)
            if code == 127 and "shared libraries" in said:
                continue  # not even the loader had enough
            self.check("compare", code, said, "limit %s %s" % limit)

    def test_a_file_that_is_cut_while_it_is_mapped_ends_the_run(self):
        seen = set()
        for place in range(1, 12 if FULL else 4):
            for name in ("compare", "curves"):
                arguments, formats = COMMANDS[name]
                _, reference, _ = self.reference(name)
                self.prepare(reference)
                code, said = self.run_once(arguments, formats, "shrink:%d" % place)
                make_inputs()
                self.check(name, code, said, "shrink:%d" % place)
                seen.add(code)
        self.assertIn(3, seen)

    def test_a_dump_cut_at_any_byte_is_never_taken_for_a_whole_one(self):
        path = "golden/step0/rank0/dump.json"
        with open(path, "rb") as file:
            data = file.read()
        places = range(len(data)) if FULL else sorted(random.sample(range(len(data)), 6))
        try:
            for place in places:
                with open(path, "wb") as file:
                    file.write(data[:place])
                code, said = self.run_once(["compare", "golden", "golden", "--jobs", "1"], "json")
                self.assertIn(code, (3, 4), "cut at %d: %s" % (place, said))
                self.assertIn("PARTIAL", said, place)
        finally:
            with open(path, "wb") as file:
                file.write(data)

    def test_killed_at_any_moment_each_file_is_the_old_or_the_new_one(self):
        for name in COMMANDS:
            arguments, formats = COMMANDS[name]
            _, reference, counts = self.reference(name)
            places = range(1, counts["call"] + 1)
            for place in places if FULL else random.sample(places, 1):
                self.prepare(reference)
                self.run_once(arguments, formats, "kill:%d" % place)
                self.check_killed(reference, (name, place))

    def check_killed(self, reference, label):
        for file, data in self.files().items():
            if not file.startswith("."):
                self.assertIn(data, (EARLIER, reference[file]), (label, file))

    def test_killed_at_random_times_each_file_is_the_old_or_the_new_one(self):
        arguments, formats = COMMANDS["compare"]
        _, reference, _ = self.reference("compare")
        began = time.monotonic()
        self.run_once(arguments, formats)
        whole_run = time.monotonic() - began
        for _ in range(1000 if FULL else 6):
            self.prepare(reference)
            run = subprocess.Popen([VERNIER, *arguments, "-o", "out", "--format", formats],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C"))
            time.sleep(random.random() * whole_run)
            run.kill()
            run.wait()
            self.check_killed(reference, "kill -9")

    def test_interrupted_it_leaves_no_temporary_file(self):
        arguments, formats = COMMANDS["compare"]
        _, reference, _ = self.reference("compare")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for delay in range(40 if FULL else 3):
                self.prepare(reference)
                run = subprocess.Popen([VERNIER, *arguments, "-o", "out", "--format", formats],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C"))
                time.sleep(0.005 * delay)
                run.send_signal(number)
                run.wait()
                self.assertIn(run.returncode, (code, 1, -number))  # -number: before main
                self.assertEqual(sorted(self.files()), sorted(reference))
                self.check_killed(reference, number)

    def test_two_runs_into_one_folder_give_whole_files(self):
        arguments, formats = COMMANDS["compare"]
        _, one, _ = self.reference("compare")
        other = ["compare", "golden", "golden", "--jobs", "1"]
        shutil.rmtree("out")
        self.run_once(other, formats)
        two = self.files()
        for _ in range(20 if FULL else 1):
            shutil.rmtree("out")
            runs = [subprocess.Popen([VERNIER, *words, "-o", "out", "--format", formats], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C"))
                    for words in (arguments, other, arguments, other)]
            codes = [run.wait() for run in runs]
            self.assertTrue(all(code in (usual, 5) for code, usual in zip(codes, (1, 0, 1, 0))), codes)
            self.assertIn(True, [code != 5 for code in codes], "one of them has the folder")
            for file, data in self.files().items():
                self.assertIn(data, (one.get(file), two.get(file)), file)


if __name__ == "__main__":
    main()
