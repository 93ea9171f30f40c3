#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CSV files of an accuracy pre-check and a free benchmark, of a small model with planted failures:

    make-precheck.py OUT

writes accuracy_checking_result_1.csv, accuracy_checking_details_1.csv, api_precision_compare_details_1.csv,
mindspore_details_1.csv, free_benchmark.csv and comparator_report.jsonl (of SGLang's comparator). Then:

    vernier precheck OUT/accuracy_checking_result_1.csv OUT/accuracy_checking_details_1.csv
"""
import csv
import json
import os
import sys

DETAILS = ["API Name", "Bench Dtype", "DEVICE Dtype", "Shape", "余弦相似度", "最大绝对误差", "双百指标", "双千指标", "双万指标", "二进制一致错误率",
           "误差均衡性", "均方根误差", "小值域错误占比", "相对误差最大值", "相对误差平均值", "inf/nan错误率", "相对误差错误率", "绝对误差错误率",
           "ULP误差最大值", "ULP误差平均值", "ULP误差大于阈值占比", "Status", "Message"]
RATIOS = ["API Name"] + [x for name in ("小值域错误比值", "均方根误差比值", "相对误差最大值比值", "相对误差平均值比值", "误差均衡性比值", "inf/nan错误率",
                                        "相对误差错误率", "绝对误差错误率", "二进制一致错误率", "ULP误差平均值", "ULP误差大于阈值占比",
                                        "ULP误差大于阈值占比比值", "双千指标") for x in (name, name + "判定结果")] + ["比对结果", "比对算法", "Message"]
APIS = ["Functional.embedding", "Functional.layer_norm", "Functional.linear", "Functional.softmax", "Torch.matmul", "Functional.gelu",
        "Tensor.masked_fill", "Functional.dropout"]
# API, direction: dtype, cosine, largest error, shares within 1, 0.1 and 0.01 %, status
PLANTED = {("Functional.linear.2", "forward"): ("torch.float16", "0.713", "2.4", "0.31", "0.05", "0.01", "error"),
           ("Torch.matmul.4", "backward"): ("torch.bfloat16", "0.9999", "0.02", "0.97", "0.91", "0.4", "error"),
           ("Functional.softmax.3", "forward"): ("torch.float16", "0.99999", "0.002", "0.9999", "0.995", "0.7", "warning"),
           ("Functional.layer_norm.1", "forward"): ("torch.float32", "1.0", "0.004", "1.0", "0.9999", "0.99", "warning")}


def names(layers=6):
    return ["%s.%d" % (api, i) for i in range(layers) for api in APIS]


def details():
    for api in names():
        for direction in ("forward", "backward"):
            dtype, cosine, most, hundred, thousand, ten, status = PLANTED.get(
                (api, direction), ("torch.float16", "1.0", "1e-05", "1.0", "1.0", "1.0", "pass"))
            if api.startswith("Functional.dropout"):
                yield [api + "." + direction + ".output.0", dtype, dtype, "[2, 8]"] + [" "] * 17 + ["SKIP", "random"]
                continue
            yield [api + "." + direction + ".output.0", "torch.float64", dtype, "[2, 8]", cosine, most, hundred, thousand, ten] + \
                [" "] * 12 + [status, "" if status == "pass" else "the output differs,\nsee \"%s\"" % api]


def results():
    for api in names():
        status = {way: PLANTED.get((api, way), ["pass"])[-1] for way in ("forward", "backward")}
        if api.startswith("Functional.dropout"):
            status = {"forward": "SKIP", "backward": ""}
        yield [api, status["forward"], status["backward"], ""]


def ratios():
    for i, api in enumerate(names()):
        row = dict.fromkeys(RATIOS, "")
        row.update({"API Name": api + ".forward.output.0", "比对结果": "pass", "比对算法": "标杆比对法" if i % 3 else "二进制一致法"})
        if api == "Functional.linear.2":
            row.update({"均方根误差比值": "7.5", "均方根误差比值判定结果": "error", "相对误差最大值比值": "1.0", "相对误差最大值比值判定结果": "pass",
                        "比对结果": "error", "比对算法": "标杆比对法"})
        yield [row[name] for name in RATIOS]


def mindspore():
    for i in range(4):
        bad = i == 2
        yield ["Mint.add.%d.forward.output.0" % i, "mindspore.float32", "mindspore.float32", "(2, 8)", "0.5" if bad else "1.0",
               "3.0" if bad else "1e-06", "0.2" if bad else "0.0", "error" if bad else "pass", ""]


def free():
    for pert, api, ratio in (("add_noise", "Functional.softmax.3", "1.8"), ("add_noise", "Functional.linear.2", "12.5"),
                             ("bit_noise", "Torch.matmul.4", "nan"), ("improve_precision", "Functional.linear.2", "3.1")):
        yield ["0", pert, "forward", "1", api, ratio, "torch.float16", "[2, 8]"]


def report():
    """SGLang's comparator: a record a tensor, of two steps."""
    def tensor(mean):
        return {"shape": [7, 16], "dtype": "torch.bfloat16", "stats": {"mean": mean, "abs_mean": 1.0, "std": 1.0, "min": -2.0, "max": 2.0}}

    yield {"warnings": [], "type": "config", "config": {"diff_threshold": 0.001}}
    yield {"warnings": [], "location": {"step": 0}, "type": "skip", "name": "rids", "reason": "baseline_load_failed"}
    yield {"warnings": [], "location": {"step": 0}, "type": "non_tensor", "name": "mode", "baseline_value": "extend", "target_value": "decode",
           "baseline_type": "str", "target_type": "str", "values_equal": False}
    for step in range(2):
        for layer in range(3):
            for name, off in (("attn_out", 0.021), ("mlp_out", 0.0004)):
                rel = off if layer == 2 else 1e-7
                yield {"warnings": [], "location": {"step": step}, "name": "%s.layer_id=%d" % (name, layer), "baseline": tensor(0.1),
                       "target": tensor(0.1 + rel), "unified_shape": [7, 16], "shape_mismatch": False, "type": "comparison",
                       "diff": {"rel_diff": rel, "max_abs_diff": rel, "mean_abs_diff": rel, "max_diff_coord": [0, 0], "baseline_at_max": 0.1,
                                "target_at_max": 0.1, "predicate": "rel <= 0.001", "passed": rel <= 0.001}, "replicated_checks": []}
    yield {"warnings": [], "type": "summary", "total": 14, "passed": 10, "failed": 3, "skipped": 1}


def evaluation(gsm8k):
    return {"results": {"gsm8k": {"alias": "gsm8k", "exact_match,strict-match": gsm8k, "exact_match_stderr,strict-match": 0.0158},
                        "mmlu": {"alias": "mmlu", "acc,none": 0.6421, "acc_stderr,none": 0.0038}},
            "versions": {"gsm8k": 3.0, "mmlu": 2.0}, "n-shot": {"gsm8k": 5, "mmlu": 5}}


def similarity():
    """What `msprobe config_check -c` says of two checkpoints: one weight is off."""
    return {"layers.%d.mlp.weight" % i: {"l2": 3.25 if i == 2 else 0.0, "cos": 0.91 if i == 2 else 1.0, "numel": 16, "shape": [4, 4]} for i in range(4)}


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name, value in (("scores-golden.json", evaluation(0.512)), ("scores-target.json", evaluation(0.471)), ("ckpt_similarity.json", similarity())):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
    with open(os.path.join(folder, "comparator_report.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in report())
    for name, heads, rows in (
            ("accuracy_checking_details_1.csv", DETAILS, details()),
            ("accuracy_checking_result_1.csv", ["API Name", "Forward Test Success", "Backward Test Success", "Message"], results()),
            ("api_precision_compare_details_1.csv", RATIOS, ratios()),
            ("mindspore_details_1.csv",
             ["API Name", "Bench Dtype", "Tested Dtype", "Shape", "Cosine", "MaxAbsErr", "MaxRelativeErr", "Status", "Message"], mindspore()),
            ("free_benchmark.csv", ["rank", "pert_type", "stage", "step", "api_name", "max_rel", "dtype", "shape"], free())):
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([heads, *rows])


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else "precheck")
