#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/defects.md from runs of the program: scoreboard.py VERNIER [--write SOURCE]; without --write it is printed."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import make_defects as make
import record_defects as record
import record_kinds as kinds
import make_states as states

HEAD = """# Which training errors are found

*Made by `tests/defects/scoreboard.py` from runs of the program; a test holds it equal.*

Classes of errors, after two published lists, TTrace (silent errors of Megatron-LM) and TrainCheck (OSDI '25), and usual ones of our own. The
published programs were not run again: what is found is the symptom, in a small model.

*check* is [`vernier check`](checks.md) of the broken run alone: the invariant meant for the class, and further ones that it breaks.
*compare* is `vernier compare CLEAN BROKEN`: the op that it names as the first divergence. *configured* is `vernier check` of the broken run
alone, next to a configuration in the form in which trainers write it. *declared* is what was meant and no dump records, `vernier check BROKEN --expect …`:
no run that is right is needed for either.

"""
RECORDED = """## Recorded dumps

Real: `tests/defects/record_defects.py` is a small model in PyTorch on one, two or four processes with gloo, with data, tensor, pipeline
and sequence parallelism by hand, and one real mistake in the program each; `samples/hooks/torch_check_hook.py` wrote the dumps (modules,
gradients of weights, communications; no calls of functions), `tests/defects/recorded.tar.xz` keeps them. Every one is a single bug in a model of our
own: it stands for its class, not for the published bug.

"""
KINDS = """
## Recorded dumps of many kinds of training

Real too: `tests/defects/record_kinds.py`, of which `tests/defects/kinds.tar.xz` keeps the dumps: optimizers, warm-up, clipping, adapters,
micro batches, experts, adversaries, averages, teachers, policies, evaluations of a fixed batch between steps or instead of them, a scaler
that leaves a step out, bfloat16, recurrent and convolutional models, shards, copies, a pipeline. Where no dump tells a right run from a wrong
one the verdict is PARTIAL, which is no alarm and not green; the table of clean runs says where.

"""
KNOWN = """
Known false alarms: right runs that no dump tells from wrong ones, so that `--skip NAME=WHY` has to. `micro-of-one` are dumps that all lie
within one step of the optimizer, while the trainer takes each gradient out of `.grad` into a sum of its own: as under an optimizer that
does nothing, gradients begin anew and no weight moves.

| kind | alarm |
|---|---|
"""
DECLARED = """
## Recorded dumps, with what was declared

Runs in which nothing contradicts itself: what is wrong is wrong against what was meant. The same is declared of a run without the error.

"""
SYNTHETIC = """## Made dumps

`tests/defects/make_defects.py` writes dumps of a small training run (msProbe's level mix, statistics, four layers, three
steps, up to eight ranks) with each error by its documented symptom. Forward values are computed; gradients are made up. So the table
says what the symptom shows in a dump, not how often it shows.

"""
STATES = """## Made checkpoints and monitors

`tests/defects/make_states.py` writes checkpoints (safetensors, three steps, two ranks) and the gradients of a monitor. They are not
compared with a clean run here.

"""

# The errors of TrainCheck's artifact (github.com/OrderLab/TrainCheck-Evaluation-Workloads, silent-issue-detection): their symptom as that
# describes it, the table ("real", "made" or "meant") and class here that has it, or why no dump of one run tells it.
PUBLISHED = [
    ("baichuan2-86", "data lost between devices", "real", "lost-transfer", ""),
    ("deepspeed-1801", "norms drift over tensor-parallel ranks", "real", "sequence-norms", ""),
    ("deepspeed-5794", "ranks make other calls of a collective of experts", "made", "missing-all-reduce", ""),
    ("lightning-thunder-725", "autocast is not applied", "meant", "meant-no-autocast", ""),
    ("mmpretrain-702", "stages that were to be frozen are trained", "meant", "not-frozen", "where a list names them; mmpretrain's own configuration is a Python file, which is not read"),
    ("pytorch-51800", "evaluated before spectral norms were set up", "", "", "no statistic tells a spectral norm"),
    ("pytorch-84803", "data lost between devices", "real", "lost-result", ""),
    ("pytorch-96600", "data lost between devices", "real", "lost-result", ""),
    ("pytorch-104336", "gradients are not reduced any more", "real", "forward-bypassed", ""),
    ("pytorch-115607", "the optimizer does nothing from some step on", "real", "optimizer-stops", "where all dumped steps come after it"),
    ("pytorch-forum-84911", "all but norms are frozen", "meant", "meant-norms-only", ""),
    ("stackoverflow-60335387", "gradients are not zeroed", "real", "zero-grad-forgotten", ""),
    ("stackoverflow-67180955", "workers of the data loader draw the same", "real", "repeated-batch", ""),
    ("transformers-17877", "weights are set up by another rule", "meant", "meant-init", "where the run begins, and the weight is left as PyTorch makes it"),
    ("transformers-23723", "more tokens are generated than allowed", "meant", "meant-length", "where each call gets all tokens so far"),
    ("transformers-33844", "dropout drops in evaluation", "made", "dropout", "where dropout is a call; not within one attention kernel"),
    ("transformers-34204", "a batch holds fewer samples of text than of pictures", "meant", "meant-batch", ""),
    ("x-jxmnop-ddp-out-of-sync", "the wrapper is bypassed: gradients are not reduced", "real", "forward-bypassed", ""),
]


def run(vernier, out, *arguments):
    path = os.path.join(out, "summary.json")
    done = subprocess.run([vernier, *arguments, "-q", "-o", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    with open(path, encoding="utf-8") as file:
        summary = json.load(file)
    os.remove(path)
    return dict(summary, exit=done.returncode)


def broken(summary):
    return [law["name"] for law in summary["invariants"] if law["verdict"] == "broken"]


def parts_at(summary):
    pairs = [pair for pair in summary["pairs"] if pair["first_divergence"]]
    if not pairs:
        return None
    first = pairs[0]["first_divergence"]
    return "`%s`" % (first["target"] or first["golden"])


def score(vernier, seen=None):
    """Rows of defects; (layout, invariants that hold, broken ones) of clean runs. `seen` gets (class, invariant, summary) of all but the
    recorded ones that declare nothing."""
    rows, clean = [], []
    seen = [] if seen is None else seen
    with tempfile.TemporaryDirectory() as folder:
        real = score_recorded(vernier, folder)
        meant = score_meant(vernier, folder, seen)
        runs = {}
        for text in make.CLEAN:
            runs[text] = os.path.join(folder, "clean" + text)
            make.make(runs[text], "", text)
            for steps in ("",) if "steps" in text else ("", "0", "0,1"):
                summary = run(vernier, folder, "check", runs[text], *(["--step", steps] if steps else []))
                clean.append(((text or "one rank") + (", step %s" % steps if steps else ""), summary["counts"]["holds"], broken(summary)))
        for defect, source, text, law, words in make.DEFECTS:
            at = os.path.join(folder, defect)
            make.make(at, defect, text)
            seen.append((defect, law, run(vernier, folder, "check", at)))
            parted = parts_at(run(vernier, folder, "compare", runs[text], at))
            rows.append((defect, source, text, law, words, broken(seen[-1][2]), parted))
        made = score_states(vernier, folder, seen)
        of_kinds = score_kinds(vernier, folder)
    return rows, clean, made, real, meant, of_kinds


def unpack(folder, name="recorded.tar.xz"):
    with tarfile.open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)) as archive:
        archive.extractall(folder)


def score_recorded(vernier, folder):
    """Rows of recorded defects; clean ones."""
    at = os.path.join(folder, "recorded")
    unpack(at)
    rows, clean = [], []
    for layout in record.CLEAN:
        summary = run(vernier, folder, "check", os.path.join(at, "clean-" + layout))
        clean.append((layout + ", recorded", summary["counts"]["holds"], broken(summary)))
    for defect, source, layout, law, words in record.RUNS:
        wrong = os.path.join(at, defect)
        found = broken(run(vernier, folder, "check", wrong))
        parted = parts_at(run(vernier, folder, "compare", os.path.join(at, "clean-" + layout), wrong))
        rows.append((defect, source, layout, law, words, found, parted))
    return rows, clean


def score_kinds(vernier, folder):
    """Rows of mistakes in runs of many kinds; clean ones; known alarms."""
    rows, clean, known = [], [], []
    at = os.path.join(folder, "kinds")
    unpack(at, "kinds.tar.xz")
    for name, kind, mistake, law in kinds.all_runs():
        summary = run(vernier, folder, "check", os.path.join(at, name))
        if mistake:
            rows.append((kind, mistake, law, broken(summary)))
        elif kind in kinds.KNOWN:
            known.append((kind, broken(summary)))
        else:
            clean.append((kind + (", recorded, PARTIAL" if summary["partial"] else ", recorded"), summary["counts"]["holds"], broken(summary)))
    return rows, clean, known


def score_configured(vernier, folder, name, configs):
    """`check` of a recorded run with its configuration beside it."""
    at = os.path.join(folder, "configured")
    shutil.rmtree(at, ignore_errors=True)
    shutil.copytree(os.path.join(folder, "recorded", name), at)
    for file_name, text in configs.items():
        with open(os.path.join(at, file_name), "w", encoding="utf-8") as file:
            file.write(text)
    return run(vernier, folder, "check", at)


def setting_of(summary, law):
    """File and setting that a broken invariant is held to."""
    texts = [law_of["evidence"][0]["text"] for law_of in summary["invariants"] if law_of["name"] == law and law_of["verdict"] == "broken"]
    return texts[0][texts[0].rindex("(") + 1:-1] if texts else ""


def score_meant(vernier, folder, seen):
    """Rows of recorded defects of what was declared; what it is held to is declared of the run without the defect too, and so is what its
    configuration tells. Rows, clean ones, and what became there of the invariant that is meant."""
    rows, clean, verdicts = [], [], []
    for defect, source, right, declared, law, words in record.MEANT:
        configs = record.configs_of(defect)
        found, setting = [], ""
        if configs:
            configured = score_configured(vernier, folder, defect, configs)
            found, setting = broken(configured), setting_of(configured, law)
            held = score_configured(vernier, folder, right, configs)
            row = ("configured: %s, with %s" % (right, ", ".join("`%s`" % file_name for file_name in configs)), held["counts"]["holds"], broken(held))
            clean += [row] if row not in clean else []
            verdicts.append((law, next(it["verdict"] for it in held["invariants"] if it["name"] == law)))
        options = [option for text in declared for option in ("--expect", text)]
        held, summary = (run(vernier, folder, "check", os.path.join(folder, "recorded", name), *options) for name in (right, defect))
        clean.append(("declared: " + " ".join(declared).replace("|", "\\|"), held["counts"]["holds"], broken(held)))
        seen.append((defect, law, summary))
        rows.append((defect, source, " ".join("`%s`" % text.replace("|", "\\|") for text in declared), law, words, broken(summary), found, setting))
        verdicts.append((law, next(it["verdict"] for it in held["invariants"] if it["name"] == law)))
    return rows, clean, verdicts


def score_states(vernier, folder, seen):
    """Rows of defects in checkpoints and monitors; clean ones."""
    rows, clean = [], []
    for kind, shares in states.CLEAN:
        at = os.path.join(folder, "clean-%s%s" % (kind, shares))
        states.make(at, kind, "", shares)
        summary = run(vernier, folder, "check", at, "--rate", str(states.RATE))
        clean.append((kind + (", " + shares if shares else ""), summary["counts"]["holds"], broken(summary)))
    for defect, source, kind, shares, law, words in states.DEFECTS:
        at = os.path.join(folder, kind + defect)
        states.make(at, kind, defect, shares)
        seen.append((defect, law, run(vernier, folder, "check", at, "--rate", str(states.RATE))))
        rows.append((defect, source, kind, law, words, broken(seen[-1][2])))
    return rows, clean


def names_of(found, law):
    return ", ".join("**%s**" % name if name == law else name for name in found) or "—"


def table(rows, clean, what):
    """The figures, then a row a defect."""
    by_check = [row for row in rows if row[3] and row[3] in row[5]]
    elsewhere = [row for row in rows if row[5] and row not in by_check]
    out = ["**%d of %d by check alone at the invariant that is meant%s, %d by compare with a clean run, %d by neither; %d alarms on %d clean %s.**\n\n" % (
        len(by_check), len(rows), ", %d by another one" % len(elsewhere) if elsewhere else "", sum(bool(row[6]) for row in rows),
        sum(not row[5] and not row[6] for row in rows), sum(bool(found) for _, _, found in clean), len(clean), what),
        "| class | from | layout | what is wrong | check | compare |\n|---|---|---|---|---|---|\n"]
    for defect, source, text, law, words, found, parted in rows:
        out.append("| %s | %s | %s | %s | %s | %s |\n" % (defect, source, text or "one rank", words, names_of(found, law), parted or "—"))
    return "".join(out)


def classes(rows, list_of):
    """The classes named after a published list: whether check finds one of them, whether check or compare does."""
    by_check, by_any = {}, {}
    for row in rows:
        for source in (part.split(",")[0] for part in row[1].split("; ")):
            if source.startswith(list_of):
                named = bool(row[3]) and row[3] in row[5]
                by_check[source] = by_check.get(source, False) or named
                by_any[source] = by_any.get(source, False) or named or bool(row[6:] and row[6])
    return by_check, by_any


def published(real, made, meant):
    """A row for each error of TrainCheck's artifact: the invariant that finds its symptom, or None."""
    tables = {"real": {row[0]: row for row in real}, "made": {row[0]: row for row in made}, "meant": {row[0]: row for row in meant}}
    for error, words, table_of, name, why in PUBLISHED:
        row = tables[table_of][name] if name else None
        configured = table_of == "meant" and row[3] in row[6]
        how = ", by `%s`" % row[7] if configured else ", with " + row[2] if table_of == "meant" else ""
        by = "" if table_of != "meant" else "configuration" if configured else "declaration"
        yield error, words, name, row[3] if row and row[3] and row[3] in row[5] else None, why, how, by


def by_list(rows, real, made, meant):
    """Which share of each list is found, and TrainCheck's error by error."""
    ttrace, errors = classes(rows, "TTrace")[1], list(published(real, made, meant))
    found = [error[6] for error in errors if error[3]]
    out = ["**%d of the %d errors of TrainCheck's artifact have a symptom that check finds in the broken run alone. Dumps alone "
           "show %d,\n%d more need the configuration next to them, %d more need what is declared (`--expect`). %d of %d classes after TTrace\n"
           "are found by check or compare.** TTrace's list holds 14 bugs; a class here stands for a kind of them.\n\n" % (
               len(found), len(errors), found.count(""), found.count("configuration"), found.count("declaration"), sum(ttrace.values()), len(ttrace)),
           "| error of TrainCheck's artifact | symptom | class below | by dumps alone | by dumps and configuration | only as declared |\n|---|---|---|---|---|---|\n"]
    for error, words, name, law, why, how, by in errors:
        cells = {"": "", "configuration": "", "declaration": ""}
        cells[by] = "; ".join(filter(None, ["**%s**%s" % (law, how) if law else "not found", why]))
        out.append("| %s | %s | %s | %s |\n" % (error, words, name or "—", " | ".join(cell or "—" for cell in cells.values())))
    return "".join(out) + "\n"


MSPROBE = """
## Dumps of msProbe

Dumps of models of other people, as msProbe writes them, at every level: golden runs, repetitions and runs with one mistake, of which `check` gets
one alone. Which mistakes contradict anything in one run was decided from the numbers, by hand. The set is not part of this repository; the rows are made
where it is. A mistake counts where an invariant names it with its rank, its step and its op or weight.

"""
DEFECTS_PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "defects.md")


def of_msprobe(vernier, shared):
    """The section of the dumps of msProbe, from the sample set."""
    spec = importlib.util.spec_from_file_location("check_check", os.path.join(shared, "tools", "check-check.py"))
    judge = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(judge)
    data = os.path.join(shared, "data")
    with open(os.path.join(data, "checks.json"), encoding="utf-8") as file:
        entries = json.load(file)
    kinds_of, left, quiet = {}, [], [0, 0]
    with tempfile.TemporaryDirectory() as room:
        for number, entry in enumerate(entries):
            got, broken = judge.grade(entry, judge.answer(vernier, os.path.join(data, entry["dump"]), room, number)[0])
            names = sorted({law["name"] for law in broken})
            if "kind" in entry:
                kinds_of.setdefault(entry["kind"], []).append((got == "found", entry["level"], names))
            elif got != "open":
                quiet[got == "quiet"] += 1
            if got not in judge.PASSED:
                left.append("| `%s` | %s | %s |\n" % (entry["dump"], entry["why"].split(":")[0], ", ".join(names) or "nothing"))
    every = [row for rows in kinds_of.values() for row in rows]
    out = [MSPROBE, "**%d of %d mistakes by check alone, %d of %d at level L1; %d of %d runs in which nothing contradicts itself are accused.**\n\n" % (
        sum(row[0] for row in every), len(every), sum(row[0] for row in every if row[1] == "L1"), sum(row[1] == "L1" for row in every), quiet[0], sum(quiet)),
           "| kind | mistakes | found | by |\n|---|---|---|---|\n"]
    for kind in sorted(kinds_of):
        rows = kinds_of[kind]
        out.append("| %s | %d | %d | %s |\n" % (kind, len(rows), sum(row[0] for row in rows), ", ".join(sorted({name for row in rows if row[0] for name in row[2]})) or "none"))
    return "".join(out + ["\nWhat differs from the list:\n\n| dump | what it is | check says |\n|---|---|---|\n", *left, NOT_SEEN])


NOT_SEEN = """
What no single run shows: another epsilon, base of rotary positions, dropout or weight of a loss; a layer left out; all ranks that sum instead of averaging; a gradient that is
scaled in the same way on all ranks; reductions in C++, which are in no dump. A product that is off by half a thousandth shows in kept tensors alone, which `check` does not recompute.

`dp3-metrics/target_r1_bwd` is on the list of clean runs and is none: its kernel is 2 percent off, the largest gradient after the sigmoid, 0.00599018, is more than
a quarter of the largest that arrived, 0.0237286.
"""


def kept_msprobe():
    """The section as it stands, where the sample set is not there."""
    with open(DEFECTS_PAGE, encoding="utf-8") as file:
        text = file.read()
    return text[text.index(MSPROBE):] if MSPROBE in text else MSPROBE


def document(rows, clean, made, real, meant, of_kinds, of_samples=""):
    out = [HEAD, by_list(real[0] + rows + made[0], real[0], rows, meant[0]), RECORDED, table(*real, "runs"), KINDS,
           "**%d of %d mistakes by check at the invariant that is meant; %d alarms on %d clean runs; known false alarms, below: %d.**\n\n" % (
               sum(law in found for _, _, law, found in of_kinds[0]), len(of_kinds[0]), sum(bool(found) for _, _, found in of_kinds[1]), len(of_kinds[1]), len(of_kinds[2])),
           "| kind | mistake | check |\n|---|---|---|\n",
           *("| %s | %s | %s |\n" % (kind, mistake, names_of(found, law)) for kind, mistake, law, found in of_kinds[0]),
           KNOWN, *("| %s | %s |\n" % (kind, names_of(found, kinds.KNOWN[kind])) for kind, found in of_kinds[2]), DECLARED,
           "**%d of %d by check, %d of them by the configuration next to the run as well; %d alarms on the %d runs without the error that\ndeclare "
           "the same, or have the same configuration.**\n\n" % (
               sum(row[3] in row[5] for row in meant[0]), len(meant[0]), sum(row[3] in row[6] for row in meant[0]), sum(bool(found) for _, _, found in meant[1]), len(meant[1])),
           "| class | from | declared | what is wrong | check, declared | check, configured |\n|---|---|---|---|---|---|\n"]
    for defect, source, declared, law, words, found, configured, _ in meant[0]:
        out.append("| %s | %s | %s | %s | %s | %s |\n" % (defect, source, declared, words, names_of(found, law), names_of(configured, law)))
    out += ["\n", SYNTHETIC, table(rows, clean, "layouts")]
    out.append("\nWhat check cannot see: errors that are the same on all ranks and in all steps and that no law of the statistics forbids, "
               "such as a\nmissing division on every rank or a layer that no stage has. They take a golden run.\n\n")
    made_rows, made_clean = made
    out += [STATES, "**%d of %d by check; %d alarms on %d clean ones.**\n\n" % (
        sum(row[3] in row[5] for row in made_rows), len(made_rows), sum(bool(found) for _, _, found in made_clean), len(made_clean)),
        "| class | from | in | what is wrong | check |\n|---|---|---|---|---|\n"]
    for defect, source, kind, law, words, found in made_rows:
        out.append("| %s | %s | %s | %s | %s |\n" % (defect, source, kind, words, names_of(found, law)))
    out.append("\n## Clean runs\n\n| layout | invariants that hold | alarms |\n|---|---|---|\n")
    for text, holds, found in real[1] + of_kinds[1] + clean + made_clean + meant[1]:
        out.append("| %s | %d | %s |\n" % (text, holds, ", ".join(found) or "none"))
    out.append("\nRe-shardings of clean runs (TP, PP, CP and EP 1 to 4, DP) are compared by `tests/cases/parallel_merge.py` and `resharding.py`, "
               "which hold\nthat none parts.\n")
    out.append(of_samples or kept_msprobe())
    return "".join(out)


if __name__ == "__main__":
    shared = os.environ.get("SHARED", "")
    there = os.path.exists(os.path.join(shared, "data", "checks.json"))
    text = document(*score(sys.argv[1]), of_samples=of_msprobe(sys.argv[1], shared) if there else "")
    if "--write" in sys.argv:
        with open(os.path.join(sys.argv[sys.argv.index("--write") + 1], "docs", "defects.md"), "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")
