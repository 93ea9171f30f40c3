#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No single value of an input can change without another answer: conservation of values (docs/json.md, `coverage`).

Of a pair of equal inputs one compared value of the target is changed or removed. The answer is another one: another verdict, another exit
code, or another account of the values; never that of the equal pair. CONSERVATION_CHANGES says how many changes (40 over the samples; 3,000
with FULL over the samples and the shared dumps and curves), CONSERVATION_SEED their seed.
"""
import copy
import glob
import io
import json
import os
import random
import re
import shutil
import struct
import unittest
import zipfile
from collections import Counter

from program import SAMPLES, SHARED, Case, main, run

SEED = int(os.environ.get("CONSERVATION_SEED", "37"))
FULL = bool(os.environ.get("FULL"))
CHANGES = int(os.environ.get("CONSERVATION_CHANGES", "3000" if FULL else "40"))
NUMBER = r"-?\d+\.\d+(?:[eE][-+]?\d+)?"
# What logs call the series that are compared: loss, norm of the gradients, learning rate.
SERIES = re.compile(r"((?:\b|_)(?:lm loss|loss|train_loss|grad[ _]norm|global_norm|learning[ _]rate|lr)\b['\"]?\s*[:=]?\s*\[?)(%s)" % NUMBER)


def files(*patterns, most=600000):
    roots = [SAMPLES] + ([os.path.join(SHARED, "data", part) for part in ("dumps", "dumps2", "curves")] if FULL and SHARED else [])
    found = [path for root in roots for pattern in patterns for path in glob.glob(os.path.join(root, "**", pattern), recursive=True)]
    return sorted(path for path in found if os.path.getsize(path) <= most)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def other_number(rng, text):
    return rng.choice(["nan", "%.6f" % (float(text) * 1.5 + 1)])


# ---- records of a dump: a statistic, a checksum, an argument, a shape, a dtype, an entry

def leaves(node, holder=None, key=None):
    if isinstance(node, dict) and "type" in node and ("dtype" in node or "value" in node):
        yield node, holder, key
    elif isinstance(node, (dict, list)):
        for below, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            yield from leaves(child, node, below)


def change_argument(leaf):
    value = leaf.get("value")
    if isinstance(value, bool):
        leaf["value"] = not value
    elif isinstance(value, (int, float)):
        leaf["value"] = 1.5 if value + 1 == value else value + 1  # of Inf
    elif isinstance(value, str):
        leaf["value"] = value + "x"
    elif isinstance(value, list):
        leaf["value"] = value + [1]
    else:
        return None
    return "value"


def change_statistic(rng, leaf, key):
    how = rng.choice(("scale", "nan", "remove"))
    before = leaf[key]
    if isinstance(before, bool):
        leaf[key] = not before
    elif not isinstance(before, (int, float)) or before != before:
        return None
    elif how == "remove":
        del leaf[key]
    else:
        leaf[key] = float("nan") if how == "nan" else before * 1.5 + 1
        if leaf[key] == before:  # of Inf
            return None
    return key + " " + how


def change_tensor(rng, leaf, holder, place):
    if 0 in leaf["shape"] or leaf.get("data_name"):
        return None
    keys = [key for key in ("Max", "Min", "Mean", "Norm", "md5", "dtype", "shape") if leaf.get(key) not in (None, "")]
    if leaf.get("md5"):
        keys = [key for key in keys if key in ("md5", "dtype", "shape")]
    key = rng.choice(keys + ["entry"])
    if key == "entry" and isinstance(holder, list):
        holder[place] = None
    elif key == "entry":
        del holder[place]
    elif key == "md5":
        leaf[key] = "%08x" % rng.getrandbits(32) if len(leaf[key]) == 8 else leaf[key][::-1]
    elif key == "dtype":
        leaf[key] = "torch.float64" if leaf[key] != "torch.float64" else "torch.int32"
    elif key == "shape":
        leaf[key] = leaf[key] + [1]
    else:
        return change_statistic(rng, leaf, key)
    return key


def change_records(rng, text):
    records = json.loads(text)
    data = records["data"]
    op = rng.choice(sorted(data))
    if rng.random() < 0.08:
        del data[op]
        return json.dumps(records).encode(), op + ": removed"
    found = list(leaves(data[op]))
    if not found:
        return None
    leaf, holder, place = rng.choice(found)
    tensor = "dtype" in leaf and "shape" in leaf
    what = change_tensor(rng, leaf, holder, place) if tensor else change_argument(leaf)
    return (json.dumps(records).encode(), "%s: %s" % (op, what)) if what else None


# ---- elements of arrays

def change_floats(rng, data):
    """One finite element; None where there is none."""
    values = struct.unpack("<%df" % (len(data) // 4), data[:len(data) // 4 * 4])
    finite = [i for i, value in enumerate(values) if abs(value) < 1e30]
    if not finite:
        return None
    at = rng.choice(finite)
    return data[:4 * at] + struct.pack("<f", rng.choice([float("nan"), values[at] * 1.5 + 1])) + data[4 * at + 4:]


def change_array(rng, data):
    if data[:2] != b"PK":
        head = 10 + struct.unpack_from("<H", data, 8)[0]
        changed = change_floats(rng, data[head:]) if b"'<f4'" in data[:head] else None
        return (data[:head] + changed, "an element") if changed else None
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        parts = {name: old.read(name) for name in old.namelist()}
        storage = next((name for name in parts if name.endswith("/data/0")), None)
        floats = any(b"\nFloatStorage\n" in part for name, part in parts.items() if name.endswith(".pkl"))
        changed = change_floats(rng, parts[storage]) if storage and floats else None
        if not changed:
            return None
        for name, part in parts.items():
            new.writestr(name, changed if name == storage else part)
    return out.getvalue(), "an element"


# ---- lines of text

def change_match(rng, text, found):
    if not found:
        return None
    match = rng.choice(found)
    new = other_number(rng, match[2])
    return (text[:match.start(2)] + new + text[match.end(2):]).encode("utf-8", "surrogateescape"), "%s%s -> %s" % (match[1], match[2], new)


def change_log(rng, data):
    text = data.decode("utf-8", "surrogateescape")
    if "," in text.split("\n")[0] and not text.startswith("{"):
        return change_match(rng, text, list(re.finditer("(,)(%s)(?=[,\n])" % NUMBER, text)))
    return change_match(rng, text, list(SERIES.finditer(text)))


def change_cell(rng, data):
    return change_match(rng, data.decode(), list(re.finditer("(,)(%s)(?=[,\n])" % NUMBER, data.decode())))


def has_statistics(path):
    return json.loads(read(path)).get("task") != "tensor"


KINDS = {
    "records": ("compare", lambda: [path for path in files("dump.json") if has_statistics(path)], change_records, 12),
    "arrays": ("compare", lambda: files("*.npy", "*.pt"), change_array, 2),
    "logs": ("curves", lambda: files("*.log", "curves/golden*.csv", "pair/*.csv", "hf/*.jsonl"), change_log, 4),
}


class Conservation(Case):
    def answer(self, command, name):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        code, _, said = run(command, os.path.join(self.folder, "golden", name), os.path.join(self.folder, "target", name), "--no-config",
                            "-o", out, "--format", "json")
        path = os.path.join(out, "summary.json")
        if not os.path.exists(path):
            return code, said, None
        summary = json.loads(read(path))
        coverage = summary["coverage"]
        return code, summary["verdict"], (coverage["set_aside"], coverage["not_understood"])

    def changes(self, kind, count, rng, silent):
        command, paths, change, each = KINDS[kind]
        paths, done = paths(), 0
        for _ in range(20 * count):
            if done >= count or not paths:
                break
            path = rng.choice(paths)
            data, name = read(path), os.path.basename(path)
            self.write("golden/" + name, data)
            self.write("target/" + name, data)
            equal = self.answer(command, name)
            if equal[0] not in (0, 4):
                paths.remove(path)
                continue
            for _ in range(each):
                changed = change(rng, copy.deepcopy(data))
                if changed is None:
                    continue
                self.write("target/" + name, changed[0])
                done += 1
                if self.answer(command, name) == equal:
                    silent.append("%s: %s" % (path, changed[1]))
            shutil.rmtree(self.path("golden"))
            shutil.rmtree(self.path("target"))
        return done

    @unittest.skipUnless(SAMPLES, "no samples")
    def test_no_single_value_can_change_without_another_answer(self):
        rng, silent, done = random.Random(SEED), [], Counter()
        shares = {"records": 0.6, "arrays": 0.15, "logs": 0.25}
        for kind, share in shares.items():
            done[kind] = self.changes(kind, int(CHANGES * share), rng, silent)
        print("seed %d: %d changes (%s), %d silent" % (SEED, sum(done.values()), ", ".join("%s %d" % item for item in done.items()), len(silent)))
        self.assertEqual([], silent, "\n".join(silent))
        self.assertGreater(sum(done.values()), CHANGES // 2)


if __name__ == "__main__":
    main()
