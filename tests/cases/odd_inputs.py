#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are well formed and yet not what is expected: a null for a list, a column without a name, a
table without rows, a value of another type, an empty file among good ones. Every command ends with one of
its exit codes, and says something when it could not give an answer.

VERNIER names the program. ODD_ROUNDS sets how many inputs are tried, ODD_SEED which.
"""
import copy
import json
import os
import random
import re
import shutil
import struct
import subprocess
import zipfile
from xml.etree import ElementTree

import small_inputs
from program import Case, VERNIER, main

ROUNDS = int(os.environ.get("ODD_ROUNDS") or (3000 if os.environ.get("FULL") else 120))
SEED = int(os.environ.get("ODD_SEED") or 1)
VALUES = [None, [], {}, "", 0, -1, 1e308, -0.0, float("nan"), float("inf"), True, 2**63, "x" * 300, "0", "N/A", "-",
          [None], {"": None}, [[]], "参数", "\u0000", "../../etc/passwd", 10**18, 0.1, ["a", 1, None]]
WORDS = ["", "nan", "inf", "-1", "0", "1e400", "null", "[]", "{}", '"', ",", ":", "x" * 300, "参数", "99999999999999999999",
         "../..", "- ", "#", "\t", "true", "~", "-", "rank0", "0x10", "1,5", "|", "%s%n"]
COMMANDS = dict(small_inputs.COMMANDS)
COMMANDS["checklist"] = (["checklist", "bench.sh", "target.yaml"], "html,md,json,csv,svg")
COMMANDS["tables"] = (["merge", "tables"], "html,md,json,csv,svg,xlsx")
COMMANDS["json"] = (["checklist", "a.json", "b.json"], "html,md,json")
COMMANDS["noise"] = (["compare", "golden", "target", "--jobs", "1", "--noise", "run2"], "html,md,json,csv,svg")
COMMANDS["criteria"] = (["compare", "golden", "target", "--jobs", "1", "--criteria", "criteria.json"], "md,json")
COMMANDS["data_mapping"] = (["compare", "golden", "target", "--jobs", "1", "--data-mapping", "data.json"], "md,json,csv")
COMMANDS["layer_mapping"] = (["compare", "golden", "target", "--jobs", "1", "--layer-mapping", "layer.yaml"], "md,json,csv")
COMMANDS["cell_mapping"] = (["compare", "golden", "target", "--jobs", "1", "--cell-mapping", "cell.yaml"], "md,json,csv")
COMMANDS["api_mapping"] = (["compare", "golden", "target", "--jobs", "1", "--api-mapping", "api.yaml"], "md,json,csv")
COMMANDS["table_config"] = (["merge", "tables", "--config", "tables.yaml"], "html,md,json,csv,svg,xlsx")
COMMANDS["two_monitors"] = (["monitor", "monitor", "monitor2"], "html,md,json,csv,svg")
COMMANDS["trainer_state"] = (["curves", "trainer_state.json", "train.log"], "html,md,json,csv,svg")
COMMANDS["pairs"] = (["curves", "pairs.json"], "html,md,json,csv,svg")


def make_more_inputs():
    config = os.path.join(small_inputs.SAMPLES, "config")
    shutil.copy(os.path.join(config, "bench_pretrain.sh"), "bench.sh")
    shutil.copy(os.path.join(config, "target_pretrain.yaml"), "target.yaml")
    small_inputs.write("criteria.json", json.dumps({"default": {"norm_relative": 0.01}}))
    small_inputs.write("data.json", json.dumps({"Functional.linear.0.forward.output.0": "Functional.linear.0.forward.output.0"}))
    small_inputs.write("layer.yaml", "TopLayer:\n  network: module\nBlock:\n  mlp: feed\n")
    small_inputs.write("cell.yaml", "network.mlp.Mlp: module.feed.Feed\nlayer: layers\n")
    small_inputs.write("api.yaml", "- ms_api: mint.add\n  pt_api: Torch.add\n  ms_args: [0, 1]\n  pt_args: [1, 0]\n"
                       "  ms_outputs: [0]\n  pt_outputs: [0]\n")
    small_inputs.write("tables.yaml", "api:\n  - Tensor.add.0\n  - Torch.mul\ncompare_index:\n  - Max diff\n  - NormRelativeErr\n")
    shutil.copytree("monitor", "monitor2")
    small_inputs.write("trainer_state.json", json.dumps({"log_history": [
        {"step": i, "loss": 9 - i / 10, "grad_norm": 1.5, "learning_rate": 1e-4} for i in range(1, 30)]}))
    small_inputs.write("pairs.json", json.dumps([[1700000000.5 + i, i, 9 - i / 10] for i in range(30)]))


def files_of(words):
    """The files that a command reads, all below its folders."""
    found = []
    for word in words[1:]:
        if os.path.isdir(word):
            found += [os.path.join(folder, name) for folder, _, names in os.walk(word) for name in names]
        elif os.path.isfile(word):
            found.append(word)
    if words[0] == "study":
        found += files_of([""] + os.listdir("."))
    return sorted(found)


def places_in(value, found):
    """(container, key) of everything inside a JSON value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places_in(value[key], found)
    return found


def odd_json(dice, root):
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        places = places_in(root, []) if isinstance(root, (dict, list)) else []
        if not places or dice.random() < 0.06:
            return copy.deepcopy(dice.choice(VALUES))
        holder, key = dice.choice(places)
        act = dice.randrange(6)
        if act == 0:
            del holder[key]
        elif act == 1:
            holder[key] = [holder[key]]
        elif act == 2 and isinstance(holder, dict):
            holder[dice.choice(("", "x", "0", key + ".0", key.replace("0", "1"), key.upper()))] = holder.pop(key)
        elif act == 3 and isinstance(holder, list):
            holder.insert(0, copy.deepcopy(dice.choice([holder[key]] + VALUES)))
        else:
            holder[key] = copy.deepcopy(dice.choice(VALUES))
    return root


def odd_line(dice, line):
    pieces = re.split(r"([\s,:|]+)", line)
    at = dice.randrange(len(pieces))
    act = dice.randrange(4)
    if act == 0:
        del pieces[at]
    elif act == 1:
        pieces.insert(at, dice.choice(pieces))
    elif act == 2:
        pieces = pieces[:at]
    else:
        pieces[at] = dice.choice(WORDS)
    return "".join(pieces)


def odd_text(dice, text):
    lines = text.split("\n")
    for _ in range(dice.choice((1, 1, 2, 6))):
        at = dice.randrange(len(lines)) if dice.random() < 0.6 else 0
        act = dice.randrange(8)
        if act == 0:
            del lines[at:at + dice.choice((1, 1, 3, 10**6))]
        elif act == 1:
            lines.insert(at, dice.choice(lines))
        elif act == 2:
            lines = lines[:at + 1]
        elif act == 3:
            lines.insert(at, dice.choice(WORDS))
        else:
            lines[at] = odd_line(dice, lines[at])
        lines = lines or [""]
    return "\n".join(lines)


def odd_bytes(dice, data):
    data = bytearray(data)
    if dice.random() < 0.3:
        return bytes(data[:dice.randrange(len(data) + 1)])
    for _ in range(dice.choice((1, 3, 20))):
        if data:
            data[dice.randrange(len(data))] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
    return bytes(data)


def odd_safetensors(dice, data):
    size = struct.unpack("<Q", data[:8])[0]
    header = json.dumps(odd_json(dice, json.loads(data[8:8 + size]))).encode()
    return struct.pack("<Q", len(header)) + header + data[8 + size:]


def odd_file(dice, path):
    """Writes something else in the place of the file."""
    with open(path, "rb") as file:
        data = file.read()
    chance = dice.random()
    if chance < 0.07:
        os.remove(path)
        if chance < 0.02:
            os.mkdir(path)
        return
    if chance < 0.12:
        data = dice.choice((b"", b"\n", b"{}", b"[]", b"null", b"\xef\xbb\xbf", b" ", b"0"))
    elif chance < 0.2:
        data = odd_bytes(dice, data)
    elif path.endswith(".json"):
        data = json.dumps(odd_json(dice, json.loads(data))).encode()
    elif path.endswith(".safetensors"):
        data = odd_safetensors(dice, data)
    elif path.endswith((".csv", ".yaml", ".sh", ".log")):
        data = odd_text(dice, data.decode()).encode()
    else:
        data = odd_bytes(dice, data)
    with open(path, "wb") as file:
        file.write(data)


class OddInputs(Case):
    def setUp(self):
        super().setUp()
        os.chdir(self.folder)

    def start(self):
        for name in os.listdir("."):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
        small_inputs.make_inputs()
        make_more_inputs()

    def check_output(self, path, place):
        with open(path, "rb") as file:
            data = file.read()
        try:
            if path.endswith(".json"):
                json.loads(data, parse_constant=lambda word: self.fail((place, word)))
            elif path.endswith(".svg"):
                ElementTree.fromstring(data)
            elif path.endswith(".xlsx"):
                with zipfile.ZipFile(path) as book:
                    self.assertIsNone(book.testzip(), place)
            elif path.endswith((".md", ".csv", ".html", ".xml", ".vernier-files")):
                data.decode()
            else:
                self.fail((place, "unexpected file"))
        except (ValueError, SyntaxError, zipfile.BadZipFile) as error:
            self.fail((place, error))

    def check(self, name, seed):
        words, formats = COMMANDS[name]
        dice = random.Random(seed)
        self.start()
        files = files_of(words)
        for path in dice.sample(files, min(len(files), dice.choice((1, 1, 1, 2, 4)))):
            odd_file(dice, path)
        environment = dict(os.environ, LC_ALL="C", NO_COLOR="1", ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1")
        done = subprocess.run([VERNIER, *words, "-o", "out", "--format", formats], env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.stdout.decode() + done.stderr.decode()
        self.assertIn(done.returncode, (0, 1, 3, 4), (name, seed, said))
        for word in ("Sanitizer", "runtime error", "a defect"):
            self.assertNotIn(word, said, (name, seed))
        if done.returncode == 3:
            self.assertRegex(said, r"vernier: (error|warning)|NOT COMPARED|NOT DONE", (name, seed))
        for path in files_of(["", "out"]) if os.path.isdir("out") else []:
            self.check_output(path, (name, seed, path))

    def test_no_odd_input_crashes_or_ends_without_a_word(self):
        only = os.environ.get("ODD_COMMAND")
        names = [only] if only else sorted(COMMANDS)
        for round in range(ROUNDS):
            self.check(names[round % len(names)], SEED * 1000003 + round)


if __name__ == "__main__":
    main()
