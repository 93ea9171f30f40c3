#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds of the program give the same outputs: same_outputs.py BEFORE AFTER [--data DIR] [--jobs N] [--only REGEX]

For a change that is to move code and change no answer. Every command runs with every format, view, language and set of
rules over the samples, the small inputs of tests/cases, the corpus of tests/fuzz and the shared data, with both programs in
the same folder one after the other. All that they write, print and return is compared byte by byte, but for the time
that a run says it took. Each difference is a line, `case: file: before / after`; of a workbook the member is named, of a
database the line of its dump, and JSON that only gained keys is told apart (`keys added only`).

--allow FILE   expected differences: lines `REGEX # REASON`, or JSON, [{"match": REGEX, "reason": TEXT}]. A file is explained
               only if each line that differs in it fits an entry; entries that fit nothing are told.
--hash FILE    writes `sha256  case/file` of what BEFORE gives.

Exit code 1: there is a difference that nothing explains. Input that is absent is skipped, and said.
"""
import argparse
import concurrent.futures
import difflib
import glob
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
TEXT = "html,md,json,csv,xlsx,svg"
DRAWN = TEXT + ",png,pdf"
ALL = DRAWN + ",nodes,junit,vis-db"
TIMES = re.compile("( in |用时 )[0-9.]+ (s|秒)".encode())
LIMIT = 120  # seconds for one run
COMMANDS = ("compare", "graph", "locate", "check", "checklist", "curves", "advise", "monitor", "history", "study", "tokens",
            "precheck", "merge")
FORMATS = {"compare": ALL, "graph": DRAWN + ",nodes,vis-db", "merge": DRAWN + ",nodes,junit"}
GPT = ["samples/gpt/golden", "samples/gpt/target"]
CURVES = ["samples/curves/golden.csv", "samples/curves/target.csv"]
CONFIG = ["samples/config/bench_pretrain.sh", "samples/config/target_pretrain.yaml"]
GRAPH_OPTIONS = [["--view", view, "--theme", theme, "--lang", lang] for view in ("tree", "boxes", "card")
                 for theme in ("light", "dark", "auto") for lang in ("en", "zh")] + [
    ["--palette", "msprobe"], ["--html", "folder"], ["--redact"], ["--overflow"], ["--depth", "2"], ["--depth", "9"],
    ["--focus", "worst"], ["--focus", "blocks.2"], ["--focus", "absent"], ["--fuzzy"], ["--all-rows"], ["--title", "<&>\"' 标题"],
    ["--quiet"], ["--verbose"], ["--exit-zero"], ["--templates", "own"], ["--criteria", "criteria.yaml"], ["--layer-mapping"],
    ["--cell-mapping"], ["--api-mapping"], ["--rules", "msprobe26", "--fuzzy"], ["--rules", "msprobe8", "--fuzzy"],
    ["--noise", "samples/gpt/golden"], ["--step", "0", "--rank", "0-3"], ["--write-mapping", "rows.yaml"], ["--consistency", "fsdp"],
    ["--write-layer-mapping", "layers.yaml"], ["--rules", "msprobe26", "--palette", "msprobe", "--view", "boxes", "--lang", "zh"]]
CURVE_OPTIONS = [["--noise", "samples/curves/golden-again.csv"], ["--log-y"], ["--smooth", "0"], ["--smooth", "0.9"], ["--smooth", "9"],
                 ["--range", "10-60"], ["--series", "loss"], ["--x", "tokens"], ["--x", "samples"], ["--x", "updates"], ["--x", "time"],
                 ["--limits", "ABSOLUTE=0.05,MEAN=2"], ["--criterion", "lr0"], ["--criterion", "long"], ["--criterion", "converged"],
                 ["--theme", "dark", "--lang", "zh"], ["--redact", "--html", "folder"]]
CRITERIA = """limits: {norm: {pass: 1e-4, warning: 1e-3}, mean: 0.01}
rules:
  - {ops: "Functional.softmax.*", slots: "output.*", limits: {norm: {pass: 1e-3, warning: 1e-2}}, reason: "another order"}
  - {dtypes: [bfloat16, float16], limits: {norm: 2e-2, max: 5e-2}}
  - {ops: ["Tensor.empty.*", "Functional.gelu.*"], ignore: true, reason: "uninitialised memory"}
"""
# How a file of each folder of the corpus is read: where it is put, and the command.
CORPUS = {
    "dump": ("in.json", "graph in.json"), "construct": ("golden/construct.json", "graph golden"), "stack": ("golden/stack.json", "graph golden"),
    "series": ("NAME", "curves NAME"), "events": ("events.out.tfevents.1", "curves events.out.tfevents.1"), "csv": ("in.csv", "curves in.csv"),
    "safetensors": ("in.safetensors", "compare in.safetensors in.safetensors"), "torch": ("in.pt", "compare in.pt in.pt"),
    "npy": ("in.npy", "compare in.npy in.npy"), "config": ("NAME", "checklist NAME NAME"), "yaml": ("in.yaml", "checklist in.yaml in.yaml"),
    "study": ("in.yaml", "study in.yaml"), "history": ("in.db", "history in.db"), "shard": ("summary.json", "merge summary.json"),
    "xlsx": ("rows/compare_result_rank0_20260101000000.xlsx", "merge rows"), "tables": ("NAME", "graph NAME"), "side": ("watch/NAME", "monitor watch"),
    "monitor": ("watch/May06_15-00-01-rank0-b2f0e6ab/grad_reduced_0-4.csv", "monitor watch"),
    "mapping": ("in.yaml", "compare samples/gpt/golden samples/gpt/target --layer-mapping=in.yaml"),
}


def make_inputs(root, before):
    """The folders that cases run in, by name; what only the program can make is made by `before`."""
    os.environ.update(VERNIER=before, SAMPLES=os.path.join(TOP, "samples"), LC_ALL="C", NO_COLOR="1")
    sys.path.insert(0, os.path.join(HERE, "cases"))
    sys.dont_write_bytecode = True
    import consistency, cross_framework, exit_codes, more_commands, no_effect, odd_inputs, small_inputs
    small = os.path.join(root, "small")
    os.mkdir(small)
    os.chdir(small)
    more_commands.make_every_input()
    odd_inputs.make_more_inputs()
    small_inputs.write("criteria.yaml", CRITERIA)
    os.mkdir("own")
    small_inputs.write("own/page.css", "body { color: #123456 }\n")
    cross_framework.Kernels(defect=9).write(small)
    for kind in ("inference", "fsdp", "megatron"):
        consistency.play(kind, backward=kind != "inference").write("as_" + kind)
    subprocess.run([sys.executable, os.path.join(TOP, "samples/nights/make.py"), "nights"], check=True)
    exit_codes.ExitCodes.setUpClass()
    shutil.copytree(exit_codes.ExitCodes.folder, os.path.join(root, "ends"))
    exit_codes.ExitCodes.tearDownClass()
    commands = {**more_commands.every_command(), **odd_inputs.COMMANDS, "kernels": (["compare", "pytorch", "kernels"], ALL)}
    ends = [[command, *words] for command, _, words in exit_codes.TABLE]
    ends += [words for words, _ in no_effect.REFUSED]
    return {name: (strip(words), formats) for name, (words, formats) in commands.items()}, [strip(words) for words in ends]


def strip(words):
    return [word.replace(os.path.join(TOP, "samples"), "samples") for word in words]


def own_cases(commands, ends):
    """Cases of what this repository holds: (name, folder of inputs, steps)."""
    for name, (words, formats) in commands.items():
        wanted = FORMATS.get(words[0], DRAWN)
        if words[0] == "compare" and ({"--shard", "--runs"} & set(words) or name in ("weights", "checkpoints")):
            wanted = DRAWN + ",junit" * ("--shard" in words)
        elif words[0] == "merge" and "tables" in words:
            wanted = DRAWN
        yield "small/" + name, "small", [words + ["--jobs", "3", "--format", wanted]]
        yield "small/" + name + " asked", "small", [words + ["--format", formats, "--lang", "zh", "--redact"]]
    for number, words in enumerate(ends):
        yield "ends/%02d %s" % (number, words[0]), "ends", [words]
    for words in ([], ["help"], ["version"], ["help", "rules"], ["nothing"], ["--help"], *(["help", name] for name in COMMANDS)):
        yield "help/" + " ".join(words), "small", [words, [*words, "--lang", "zh"]]
    for options in GRAPH_OPTIONS:
        yield "options/" + " ".join(options), "small", [["compare", *GPT, *options, "--format", DRAWN]]
    for options in CURVE_OPTIONS:
        yield "curve options/" + " ".join(options), "small", [["curves", *CURVES, *options, "--format", DRAWN]]
    for rules in ("vernier", "msprobe26"):
        yield "graph/" + rules, "small", [["graph", GPT[0], "--rules", rules, "--format", FORMATS["graph"]],
                                          ["graph", "samples/ranks/target", "--rules", rules, "--lang", "zh", "--depth", "3"]]
    for kind in ("fsdp", "megatron"):
        yield "consistency/" + kind, "small", [["compare", "as_inference", "as_" + kind, "--consistency", kind, "--format", ALL]]
    ranks = ["compare", "samples/ranks/golden", "samples/ranks/target"]
    part = [*ranks, "--format", DRAWN + ",nodes,junit"]
    yield "ranks/all", "small", [ranks + ["--format", ALL]]
    yield "ranks/parts", "small", [*(part + ["--shard", "%d/3" % i, "-o", "parts/%d" % i] for i in (1, 2, 3)),
                                   ["merge", "parts", "-o", "joined", "--format", FORMATS["merge"]]]
    for rules in ("vernier", "msprobe26", "msprobe8"):
        yield "ranks/tables " + rules, "small", [ranks + ["--rules", rules, "--format", "csv,xlsx,nodes", "-o", "rows"], ["merge", "rows"]]
    yield "nights", "small", [*(["compare", "nights/golden", "nights/2026-11-%02d" % night, "--history", "kept-here.db", "-o",
                                 "night%d" % night] for night in (1, 8, 9, 10, 12)), ["history", "kept-here.db", "--format", DRAWN]]
    yield "one file each", "small", [["compare", *GPT, "-o", "-"], ["compare", *GPT, "-o", "a.svg", "-o", "b.md", "-o", "c.json", "-o", "d.xlsx"],
                                     ["curves", *CURVES, "-o", "-"], ["checklist", *CONFIG, "-o", "-"], ["graph", GPT[0], "-o", "g.png"]]
    for name in ("before", "after"):
        yield "study/" + name, "small", [["study", "samples/study/%s.yaml" % name, "--format", DRAWN, "--lang", lang] for lang in ("en", "zh")]
    yield "study/init", "small", [["study", "--init", "samples/study/golden", "samples/study/target", *GPT, "-o", "-"]]
    yield "monitor", "small", [["monitor", "samples/monitor", "--format", DRAWN], ["monitor", "samples/monitor", "--stat", "mean", "--rank", "1"],
                               ["monitor", "a=samples/monitor", "b=monitored", "--lang", "zh", "--type", "grad_reduced"]]
    for path in sorted(glob.glob(os.path.join(HERE, "fuzz/corpus/*/*"))):
        kind, name = path.split(os.sep)[-2:]
        if kind in CORPUS:
            here, words = (text.replace("NAME", name) for text in CORPUS[kind])
            yield "corpus/%s/%s" % (kind, name), "small", [words.split()], (path, here)


def data_cases(data):
    """Cases of the shared data, whose folder is `data` there and `data` in a case."""
    def found(*parts):
        paths = sorted(glob.glob(os.path.join(data, *parts)))
        if not paths:
            print("skipped: %s: no such input" % os.path.join("data", *parts))
        return [os.path.join("data", os.path.relpath(path, data)) for path in paths]

    def real(path):
        return os.path.join(data, os.path.relpath(path, "data"))

    for bench in found("dumps", "*", "bench") + found("dumps2", "*", "bench") + found("noise", "*", "bench"):
        group = os.path.dirname(bench)
        targets, noises = ([path for path in found(*group.split(os.sep)[1:], kind + "*")] if glob.glob(real(group) + "/" + kind + "*") else []
                           for kind in ("target", "noise"))
        noise = [word for path in noises for word in ("--noise", path)]
        yield group + "/graph", "small", [["graph", bench, "--format", FORMATS["graph"]], ["locate", bench],
                                          ["graph", bench, "--rules", "msprobe26", "--format", "json,nodes,vis-db"]]
        if len(noises) > 1:
            yield group + "/runs", "small", [["compare", "--runs", bench, *noises, "--format", DRAWN]]
        for number, target in enumerate(targets):
            pair = ["compare", bench, target, *noise]
            yield target, "small", [pair + ["--format", ALL if number == 0 else TEXT + ",nodes,junit,vis-db"]]
            if number < 2:
                for rules in ("msprobe26", "msprobe8"):
                    yield target + "/" + rules, "small", [pair[:3] + ["--rules", rules, "--format", "csv,xlsx,json,nodes,vis-db"]]
            if number == 0:
                yield target + "/swapped", "small", [["compare", target, bench, "--format", TEXT, "--lang", "zh", "--view", "boxes"]]
            if "nan" in target or "overflow" in target:
                yield target + "/locate", "small", [["locate", target, "--format", DRAWN]]
    for group, layout in (("pipe3-mix", "pp=3"), ("tp2-mix", "tp=2")):
        for target in found("dumps2", group, "target*")[:3]:
            yield target + "/merged", "small", [["compare", os.path.dirname(target) + "/bench", target, "--parallel-merge", layout,
                                                 "--format", ALL]]
    for folder in found("peer-fixtures", "*", ""):
        parts = found(*folder.split(os.sep)[1:], "*")
        yield folder + "/graph", "small", [["graph", folder, "--format", FORMATS["graph"]], *(["graph", path] for path in parts)]
        yield folder + "/compare", "small", [["compare", one, two, *options, "--format", ALL] for one, two in zip(parts, parts[1:])
                                            for options in ([], ["--layer-mapping"], ["--cell-mapping", "--api-mapping"])]
    for target in found("findings", "silent-pass", "*target*") + found("findings", "silent-pass", "ranks_empty", "*"):
        yield target, "small", [["compare", "samples/ranks/golden" if "ranks" in target else GPT[0], target], ["locate", target]]
    yield "data/findings/miss", "small", [["compare", *found("findings", "miss_*")], ["compare", *found("findings", "silent-pass", "bd_*")]]
    logs = [path for path in found("curves", "**") + found("curves", "*", "*") + found("wild", "*", "*") + found("findings", "*", "*.csv")
            if os.path.isfile(real(path)) and not path.endswith((".py", ".md"))]
    for path in logs:
        yield path, "small", [["curves", path, "--format", "md,json,csv,svg"]]
    for one, two in zip(logs, logs[1:]):
        if os.path.dirname(one) == os.path.dirname(two) and "seeds" not in one:
            yield one + "/next", "small", [["curves", one, two]]
    for path in logs:
        plain = re.sub("_x[23]|x2_", "", path)
        if plain in logs and plain != path:
            yield path + "/of another scale", "small", [["curves", plain, path]]
    for folder in found("curves", "*", "") + found("wild", "*", "") + found("wild", "*", "*", ""):
        yield folder + "/curves", "small", [["curves", folder]]
    for folder in found("curves", "monitor*", "") + found("curves", "monitor", "*", "") + found("curves", "grad_probe", ""):
        yield folder + "/monitor", "small", [["monitor", folder, "--format", DRAWN], ["monitor", folder, "--lang", "zh", "--format", "md,json,csv"]]
    noise = [word for path in found("wild", "seeds", "seed0[2-9].csv") for word in ("--noise", path)]
    for path in found("wild", "seeds", "*_*.csv"):
        yield path + "/noise", "small", [["curves", "data/wild/seeds/seed01.csv", path, *noise]]
    yield "data/curves/twelve", "small", [["curves", *found("findings", "curves", "twelve", "*"), "--format", DRAWN]]
    norms = found("curves", "localnorm", "m*_step1.log")
    yield "data/curves/localnorm", "small", [["curves", *norms, "--name-map", "data/curves/localnorm/name_map.csv"], ["curves", *norms[::-1]]]
    yield "data/curves/pair", "small", [["curves", "data/curves/pair/bench_run1.log", path, "--noise", "data/curves/pair/bench_run2.log"]
                                        for path in found("curves", "pair", "target_*")]
    for path in found("curves", "megatron", "*.log") + found("curves", "mindformers", "*", "*.log"):
        yield path + "/skip", "small", [["advise", "skip", path, "--format", DRAWN], ["advise", "skip", path, "--threshold", "3", "--count", "5"]]
    yield "data/curves/health", "small", [["advise", "health", "data/curves/mindformers/output", *found("curves", "mindformers", "msrun_log", "*")]]


class Place:
    """A working folder of its own for each case: links to the inputs, and what a program left beside them."""

    def __init__(self, root, data, programs):
        self.root, self.data, self.programs = root, data, programs

    def outputs(self, program, number, case):
        name, inputs, steps, *extra = case
        at = os.path.join(self.root, "runs", str(number))
        os.makedirs(at)
        links = {entry: os.path.join(self.root, inputs, entry) for entry in os.listdir(os.path.join(self.root, inputs))}
        links.update(samples=os.path.join(TOP, "samples"), data=self.data)
        for path, here in extra:
            first = here.split(os.sep)[0]
            if first != here and first in links:  # one file of a dump is another
                shutil.copytree(os.path.join(links.pop(first), "step0/rank0"), os.path.join(at, first))
            os.makedirs(os.path.dirname(os.path.join(at, here)), exist_ok=True)
            shutil.copy(path, os.path.join(at, here))
        for entry, path in links.items():
            if os.path.exists(os.path.join(at, entry)):
                continue
            if entry.endswith(".db") and any(entry in words for words in steps):  # a history may be written to
                shutil.copy(path, at)
            elif os.path.exists(path):
                os.symlink(path, os.path.join(at, entry))
        files = {}
        for step, words in enumerate(steps):
            words = words + ["-o", "out%d" % step] if words and "-o" not in words and words[0] in COMMANDS else words
            words = words + ["--jobs", "1"] if words and words[0] in COMMANDS and "--jobs" not in words else words
            env = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
            try:
                done = subprocess.run(["vernier", *words], executable=program, cwd=at, env=dict(env, LC_ALL="C", NO_COLOR="1"), timeout=LIMIT,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                said = {"exit code": b"%d" % done.returncode, "stdout": done.stdout, "stderr": TIMES.sub(b"TIME", done.stderr)}
            except subprocess.TimeoutExpired:
                said = {"exit code": b"none after %d s" % LIMIT}
            files.update(("%s %d" % (kind, step), text) for kind, text in said.items())
        for folder, _, names in os.walk(at):
            for entry in names:
                path = os.path.join(folder, entry)
                if not os.path.islink(path):
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, at)] = file.read()
        shutil.rmtree(at)
        return {key: text.replace(self.root.encode(), b"ROOT") for key, text in files.items()}

    def run(self, job):
        number, case = job
        before, after = (self.outputs(program, number, case) for program in self.programs)
        hashes = [(case[0] + "/" + name, hashlib.sha256(text).hexdigest()) for name, text in sorted(before.items())]
        found = [(name, list(differences(name, before.get(name), after.get(name)))) for name in sorted({*before, *after})]
        return case, hashes, [["%s: %s" % (case[0], line) for line in lines] for _, lines in found if lines]


def shorten(text, at=0):
    return text[max(0, at - 30):][:85].replace("\n", " ")


def line_differences(name, one, two):
    """Each line that differs; what both begin and end with is passed over."""
    one, two = one.split("\n"), two.split("\n")
    first = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, two)))
    last = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one[:first - 1:-1] if first else one[::-1],
                                                                                 two[:first - 1:-1] if first else two[::-1])))
    one, two = one[first:len(one) - last], two[first:len(two) - last]
    blocks = [("replace", 0, len(one), 0, len(two))]
    if len(one) != len(two) and max(len(one), len(two)) < 3000:
        blocks = difflib.SequenceMatcher(None, one, two, False).get_opcodes()
    for kind, a, b, c, d in blocks:
        for left, right in itertools.zip_longest(one[a:b], two[c:d], fillvalue="") if kind != "equal" else ():
            if left != right:
                at = len(os.path.commonprefix([left, right]))
                yield "%s: %s / %s" % (name, shorten(left, at), shorten(right, at))


def added(one, two, path=""):
    """The keys that `two` has beyond `one`; None where they differ in more."""
    if isinstance(one, dict) and isinstance(two, dict) and set(one) <= set(two):
        parts = [added(one[key], two[key], path + "." + key) for key in one]
        return None if None in parts else [path + "." + key for key in two if key not in one] + sum(parts, [])
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        parts = [added(left, right, path + "[]") for left, right in zip(one, two)]
        return None if None in parts else sum(parts, [])
    return [] if repr(one) == repr(two) else None


def dump_of(data):
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        file.write(data)
        file.flush()
        return "\n".join(sqlite3.connect(file.name).iterdump())


def differences(name, one, two):
    if one == two:
        return
    if one is None or two is None:
        yield "%s: only %s" % (name, "after" if one is None else "before")
    elif zipfile.is_zipfile(io.BytesIO(one)) and zipfile.is_zipfile(io.BytesIO(two)):
        members = [{entry: archive.read(entry) for entry in archive.namelist()} for archive in map(zipfile.ZipFile, map(io.BytesIO, (one, two)))]
        lines = [line for entry in sorted({*members[0], *members[1]})
                 for line in differences("%s[%s]" % (name, entry), members[0].get(entry), members[1].get(entry))]
        yield from lines or [name + ": the same members, other bytes"]
    elif one[:15] == two[:15] == b"SQLite format 3":
        yield from list(line_differences(name, dump_of(one), dump_of(two))) or [name + ": the same dump, other bytes"]
    elif b"\0" in one[:4096] or b"\0" in two[:4096]:
        at = len(os.path.commonprefix([one, two]))
        yield "%s: byte %d: %s (of %d) / %s (of %d)" % (name, at, one[at:at + 8].hex(), len(one), two[at:at + 8].hex(), len(two))
    else:
        if name.endswith(".json"):
            try:
                keys = added(json.loads(one), json.loads(two))
            except ValueError:
                keys = None
            if keys:
                yield "%s: keys added only: %s" % (name, ", ".join(dict.fromkeys(key.lstrip(".") for key in keys)))
                return
        yield from line_differences(name, one.decode("utf-8", "backslashreplace"), two.decode("utf-8", "backslashreplace"))


def read_allowed(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.lstrip().startswith("["):
        return [[re.compile(entry["match"]), entry["reason"], 0] for entry in json.loads(text)]
    lines = [line.rpartition(" # ") for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return [[re.compile(match.strip() or reason), reason, 0] for match, _, reason in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--data", default=os.path.join(TOP, "../shared/data"), help="default: ../shared/data beside the repository")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", metavar="REGEX", help="only cases whose name it fits")
    parser.add_argument("--allow", metavar="FILE")
    parser.add_argument("--hash", metavar="FILE")
    given = parser.parse_args()
    allowed = read_allowed(given.allow) if given.allow else []
    programs, data = [os.path.abspath(given.before), os.path.abspath(given.after)], os.path.abspath(given.data)
    manifest = given.hash and os.path.abspath(given.hash)
    with tempfile.TemporaryDirectory() as root:
        cases = [*own_cases(*make_inputs(root, programs[0])), *data_cases(data)]
        os.chdir("/")
        cases = [case for case in cases if re.search(given.only, case[0])]
        assert len({case[0] for case in cases}) == len(cases), "two cases of one name"
        hashes, count, explained = [], 0, 0
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for case, some, found in pool.map(Place(root, data, programs).run, enumerate(cases)):
                hashes += some
                for lines in found:
                    left = []
                    for line in lines:
                        fits = [entry for entry in allowed if entry[0].search(line)]
                        for entry in fits:
                            entry[2] += 1
                        left += [] if fits else [line]
                    explained += not left
                    count += bool(left)
                    if left:
                        print(left[0][:200] if len(left) == 1 else "%s (and %d more lines)" % (left[0][:200], len(left) - 1), flush=True)
    if manifest:
        with open(manifest, "w", encoding="utf-8") as file:
            file.writelines("%s  %s\n" % (digest, name) for name, digest in hashes)
    for match, reason, used in allowed:
        print("explained: %d lines: %s" % (used, reason) if used else "unused: %s # %s" % (match.pattern, reason))
    runs = sum(len(case[2]) for case in cases)
    print("%d runs, %d files, %d differ%s" % (runs, len(hashes), count, ", %d explained" % explained if allowed else ""))
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
