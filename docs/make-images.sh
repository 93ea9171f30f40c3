#!/usr/bin/env bash
# Makes the pictures and the ready reports of the documentation: make-images.sh VERNIER [DUMPS [CURVES]]
# From samples/ always; those of gallery.md that show other data only where these folders are given.
set -eu
vernier=$(realpath "$1")
dumps=${2:+$(realpath "$2")}
curves=${3:+$(realpath "$3")}
images=$(realpath "${IMAGES:-$(dirname "$0")/images}")   # or where a test looks
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# draw NAME PICTURE ARGUMENTS...: runs a command into a folder and keeps one picture as NAME.svg.
draw() {
    local name=$1 picture=$2
    shift 2
    "$vernier" "$@" -o "$work/$name" --format svg --exit-zero --quiet 2>/dev/null
    cp "$work/$name/$picture.svg" "$images/$name.svg"
}

examples=$(realpath "${EXAMPLES:-$(dirname "$0")/example}")

cd "$(dirname "$0")/../samples"
# The ready reports that README and the site show.
report() {
    local name=$1
    shift
    "$vernier" "$@" -o "$work/$name.html" --exit-zero --quiet --redact 2>/dev/null
    cp "$work/$name.html" "$examples/"
}
report gpt compare gpt/golden gpt/target
report ranks compare ranks/golden ranks/target
report curves curves curves/golden.csv curves/target.csv --noise curves/golden-again.csv
report monitor monitor monitor
"$vernier" compare gpt/golden gpt/target -o "$images/graph.png" --exit-zero --quiet
"$vernier" monitor monitor -o "$images/monitor.svg" --exit-zero --quiet
draw tree graph-step0-rank0 compare gpt/golden gpt/target
draw card card-step0-rank0 compare gpt/golden gpt/target
draw profile profile-step0-rank0 compare gpt/golden gpt/target
draw boxes graph-step0-rank0 compare gpt/golden gpt/target --view boxes --focus first-divergence
draw palette graph-step0-rank0 compare gpt/golden gpt/target --palette msprobe
draw chinese card-step0-rank0 compare gpt/golden gpt/target --lang zh
draw hierarchy graph-step0-rank0 graph gpt/target
cp "$work/hierarchy/boxes-step0-rank0.svg" "$images/hierarchy-boxes.svg"
draw matrix overview compare ranks/golden ranks/target
cp -r gpt/golden "$work/cut"
head -c 250000 gpt/golden/step0/rank0/dump.json >"$work/cut/step0/rank0/dump.json"
draw partial graph-step0-rank0 compare gpt/golden "$work/cut" --redact

draw hooks graph-step0-rank0 compare hooks/recorded/golden hooks/recorded/target

python3 traces/make-traces.py "$work/traces"
draw engines graph-step0-rank0 compare "$work/traces/golden/hook.jsonl" "$work/traces/target/llama.txt" --redact

python3 inspect/make-inspect.py "$work/inspect"
draw inspect ratio-wgrad-norm monitor "$work/inspect/golden" "$work/inspect/target"

python3 tokens/make-tokens.py "$work/tokens" --cause growth
python3 precheck/make-precheck.py "$work/precheck"
draw precheck precheck precheck "$work/precheck/accuracy_checking_result_1.csv" "$work/precheck/accuracy_checking_details_1.csv" --redact
draw tokens tokens tokens "$work/tokens/golden.jsonl" "$work/tokens/target.jsonl" --redact

tar -xf ../tests/defects/recorded.tar.xz -C "$work" tp-gradient
draw check check check "$work/tp-gradient" --redact
draw checklist settings checklist config/bench_pretrain.sh config/target_pretrain.yaml
draw checkpoints weights compare study/golden/end.safetensors study/target/end.safetensors

"$vernier" compare ranks/golden ranks/target -o "$work/tables" --format csv --exit-zero --quiet
draw merge rank-metrics merge "$work/tables"

# The four ranks with a NaN that rank 2 gives and an all-reduce spreads.
python3 - "$work/nan" << 'END'
import json, shutil, sys
to = sys.argv[1]
shutil.copytree("ranks/target", to)
for rank in range(4):
    path = "%s/step0/rank%d/dump.json" % (to, rank)
    with open(path) as file:
        dump = json.load(file)
    names = list(dump["data"])
    start = names.index("Functional.softmax.1.backward" if rank == 2 else "Distributed.all_reduce.0.forward")
    for at, name in enumerate(names[start:]):
        op = dump["data"][name]
        for part in ("input_args", "input", "output"):
            for tensor in op.get(part, []) if at or part == "output" else []:
                if tensor and "Max" in tensor:
                    tensor["Max"] = tensor["Min"] = tensor["Mean"] = tensor["Norm"] = float("nan")
    with open(path, "w") as file:
        json.dump(dump, file)
END
draw locate locate-step0 locate "$work/nan" --redact

# Eighteen runs of one set-up: in six of them an attention gives other numbers, and what follows inherits them.
python3 - "$work/runs" << 'END'
import json, os, sys
part = {3: (1, 2e-3), 6: (2, 5e-4), 9: (1, 1e-4), 11: (3, 2e-3), 15: (2, 2e-3), 17: (3, 3e-4)}

def moved(value, by):
    if isinstance(value, list):
        return [moved(item, by) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: item * (1 + by) if key in ("Max", "Min", "Mean", "Norm") and isinstance(item, float) else moved(item, by)
            for key, item in value.items()}

for run in range(1, 19):
    with open("gpt/golden/step0/rank0/dump.json") as file:
        dump = json.load(file)
    if run in part:
        layer, by = part[run]
        names = list(dump["data"])
        start = names.index("Functional.softmax.%d.forward" % layer)
        for at, name in enumerate(names[start:]):
            op = dump["data"][name]
            dump["data"][name] = moved(op, by) if at else dict(op, output=moved(op["output"], by))
    to = "%s/run%02d/step0/rank0" % (sys.argv[1], run)
    os.makedirs(to)
    with open(to + "/dump.json", "w") as file:
        json.dump(dump, file)
    for name in ("stack.json", "construct.json"):
        with open("gpt/golden/step0/rank0/" + name) as source, open(to + "/" + name, "w") as file:
            file.write(source.read())
END
(cd "$work/runs" && draw runs runs compare --runs run*)

# Twelve runs over a learning rate; the eighth leaves the others after a third of the way.
python3 - "$work/rates" << 'END'
import math, os, sys
os.makedirs(sys.argv[1])
for run in range(12):
    with open("%s/rate_%de-5.csv" % (sys.argv[1], 2 + run), "w") as file:
        file.write("step,loss,grad_norm\n")
        for step in range(1, 601):
            noise = math.sin(step * (7 + run)) * 0.02
            loss = 2 + 8 * math.exp(-step / (90 + 4 * run)) + noise
            away = 0.004 * (step - 200) if run == 7 and step > 200 else 0
            file.write("%d,%.4f,%.4f\n" % (step, loss + away, 1.2 + noise * 5 + away))
END
(cd "$work/rates" && draw curves-many curves curves ./*.csv)
cp "$work/curves-many/curves-runs.svg" "$images/curves-runs.svg"

draw study-before ladder study study/before.yaml
draw study-after ladder study study/after.yaml
draw study-zh ladder study study/before.yaml --lang zh
draw study-case long_run-curves study study/after.yaml

python3 nights/make.py "$work/nights"
for night in "$work"/nights/2026-*; do
    "$vernier" compare "$work/nights/golden" "$night" --history "$work/nights.db" -o "$work/night" --format json --exit-zero --quiet
done
"$vernier" history "$work/nights.db" -o "$images/history.svg" --quiet

# cases NAME CASE TARGET: every view of a pair. matrices NAME CASE TARGET: steps by ranks.
cases() {
    local name=$1 golden=$dumps/$2/bench target=$dumps/$2/$3
    draw "$name-tree" graph-step0-rank0 compare "$golden" "$target" --redact
    cp "$work/$name-tree/card-step0-rank0.svg" "$images/$name-card.svg"
    cp "$work/$name-tree/profile-step0-rank0.svg" "$images/$name-profile.svg"
    draw "$name-boxes" graph-step0-rank0 compare "$golden" "$target" --redact --view boxes --focus first-divergence
}
matrices() {
    draw "$1-matrix" overview compare "$dumps/$2/bench" "$dumps/$2/$3" --redact
}

if [ -n "$dumps" ]; then
    cases case-renamed gpt4-mix-stats target_gelu_renamed
    cases case-nan gpt4-mix-stats target_nan
    cases case-resnet resnet18-mix-stats target_bn_eps
    matrices case-allreduce gpt2-dp4-l1 target_allreduce
    matrices case-data gpt2-dp2 target_rank1_data
    matrices case-gradient gpt2-dp2 target_grad_scale
fi
if [ -n "$curves" ]; then
    pair=$curves/pair
    draw curves curves curves "$pair/bench_run1.log" "$pair/target_late_offset.log" --noise "$pair/bench_run2.log" --redact
    "$vernier" monitor "$curves/monitor/monitor_output" -o "$work/monitor" --format svg --exit-zero --quiet --redact
    cp "$work/monitor/layers-grad_unreduced.svg" "$images/heatmap.svg"
    logs=$curves/mindformers/msrun_log
    draw advise-skip skip advise skip "$logs/worker_7.log"
    draw advise-health health advise health "$curves/mindformers/output" "$logs/worker_0.log" "$logs/worker_2.log" --threshold 270
fi
