#!/usr/bin/env bash
# Runs the main job on the samples: demo.sh VERNIER OUT
set -eu
vernier=$(realpath "$1")
out=$2
here=$(dirname "$0")
mkdir -p "$out"
out=$(realpath "$out")
cd "$here"
for sample in gpt ranks; do
    echo
    echo "vernier compare samples/$sample/golden samples/$sample/target"
    "$vernier" compare "$sample/golden" "$sample/target" -o "$out/$sample" --exit-zero
done
echo
echo "vernier monitor samples/monitor"
"$vernier" monitor monitor -o "$out/monitor" --exit-zero
echo
echo "vernier curves samples/curves/golden.csv samples/curves/target.csv --noise samples/curves/golden-again.csv"
"$vernier" curves curves/golden.csv curves/target.csv --noise curves/golden-again.csv -o "$out/curves" --exit-zero
echo
echo "vernier checklist samples/config/bench_pretrain.sh samples/config/target_pretrain.yaml"
"$vernier" checklist config/bench_pretrain.sh config/target_pretrain.yaml -o "$out/checklist" --exit-zero
for state in before after; do
    echo
    echo "vernier study samples/study/$state.yaml"
    "$vernier" study "study/$state.yaml" -o "$out/study-$state" --exit-zero
done
echo
echo "samples/nights/make.py; vernier compare golden NIGHT --history nights.db for each night; vernier history nights.db"
rm -rf "$out/nights" "$out/nights.db"
python3 nights/make.py "$out/nights"
for night in "$out"/nights/2026-*; do
    "$vernier" compare "$out/nights/golden" "$night" --history "$out/nights.db" -o "$out/night" --exit-zero --quiet 2>/dev/null
done
"$vernier" history "$out/nights.db" -o "$out/history" --exit-zero
echo
echo "The report: $out/gpt/index.html"
echo "Four ranks: $out/ranks/index.html"
echo "A picture:  $out/gpt/graph-step0-rank0.png"
echo "Alarms:     $out/monitor/index.html"
echo "Curves:     $out/curves/index.html"
echo "Nights:     $out/history/index.html; the last one: $out/night/index.html"
echo "Settings:   $out/checklist/index.html"
echo "A study:    $out/study-before/index.html, $out/study-after/index.html"
