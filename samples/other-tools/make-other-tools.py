#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What other tools print or write of a run, for a golden and a target with a planted defect:

    make-other-tools.py OUT

OUT/golden and OUT/target hold rank_0_activations.log (torchtitan), ort.txt (ONNX Runtime's node dump), probe.jsonl (a probe of one's
own), eager.txt, logs.json (DebugMode, saved by save_logs), layers.jsonl (MaxText's metrics of layers), chat.json and prompt.json (an
OpenAI-compatible server), sglang.json, tgi.json, llama-server.json, logits.jsonl (MaxText), scores.json and scores.md (lm-evaluation-harness), one.log, train.log, and
batches (the arrays of tokens that a trainer saved); OUT/target/compiled.txt is DebugMode of a compiled model. OUT itself holds stderr.txt
(transformers' DebugUnderflowOverflow), anomaly.log (PyTorch's anomaly mode), norms.log (gradient norms of parameters), module_struct.json and
anomaly_analyse.json (msProbe's monitor), experiments.csv (a ladder), and results of other comparators: precision_report.csv, result_1.csv
(msaccucmp), compare_result_1.csv, .xlsx and .vis.db (msProbe), ckpt_similarity.json, summary.csv (OpenCompass), polygraphy.log, layers.log,
layers.md, layers.csv, layers.jsonl, npz.log, numpy.log, compiled.log (PyTorch's check of compiled models), gap.csv (ExecuTorch), and checksums of weights: trainer.json, converter.json, engine.txt, engine.csv. Needs nothing but Python. Then:

    vernier compare OUT/golden/ort.txt OUT/target/ort.txt
    vernier precheck OUT/polygraphy.log
"""
import hashlib
import json
import os
import sqlite3
import struct
import sys
import zipfile

OPS = ["layers.%d.%s/op_0_mm" % (layer, part) for layer in range(3) for part in ("wq", "wo", "w1")]


def titan(bad=-1, nan=False):
    out = "Total captured activations: 9\n%s\n\n" % ("=" * 40)
    for phase, names in (("forward", OPS), ("backward", OPS[::-1])):
        norm = 100.0
        for i, name in enumerate(names):
            wrong = phase == "forward" and bad >= 0 and i >= bad or phase == "backward" and bad >= 0
            before, norm = norm, 100.0 + i + (3.0 if wrong else 0)
            norm = float("nan") if nan and wrong else norm
            out += ("[%s]\n  Shape: torch.Size([2, 64]), Dtype: torch.float32\n  L2 norm: %e\n  Min: %e\n  Max: %e\n  Mean: %e\n  Output hash: %e\n"
                    "  Input hashes: %e, 3.0e+01\n  Location: model.py:%d\n  Phase: %s\n\n"
                    % (name, norm, -norm / 30, norm / 30, norm / 1000, norm * 90, before * 90, i, phase))
    return out


def nodes(bad=-1):
    out = ""
    for i in range(5):
        out += "-----------\nMatMul node: /model/layers.%d/MatMul\nInput 0 Name: x%d\n Shape: {1,4}\nMin=-1.5,Max=%g\n-----------\n" % (i, i, 2 + i)
        out += "Output 0 Name: y%d\n Shape: {1,4}\n%s\n" % (i, "Min=-4888,Max=6672,NaN=2" if i == bad else "Min=-1.5,Max=%g" % (3 + i))
    return out


def frames(bad):
    out = "step 1\n\nDetected inf/nan during batch_number=3\nLast 4 forward frames:\nabs min  abs max  metadata\n"
    for i in range(4):
        out += "                  encoder.block.%d.dropout Dropout\n3.20e-04 6.27e+04 input[0]\n0.00e+00 %s output\n             None output[1]\n" % (
            i, "     inf" if i == bad else "6.27e+04")
    return out + "\nTraceback (most recent call last):\nValueError: DebugUnderflowOverflow: inf\n"


def probe(bad=99, count=0):
    lines = []
    for step in range(2):
        for i, stage in enumerate(["embed", "L00.attn", "L00.mlp", "L01.attn", "L01.mlp"]):
            scale = 1.2 if step * 5 + i >= bad else 1
            lines.append(json.dumps({"step": step, "rank": 0, "stage": stage, "name": "hidden", "shape": [4, 6], "dtype": "torch.float32",
                                     "nan_count": count if i == 4 else 0, "max": (i + 2) * scale, "min": -(i + 1) * scale, "mean": 0.1 * scale}))
    return "\n".join(lines) + "\n"


def eager(compiled=False, bad=False):
    mark, root, out = ("[nn.Mod (compile)]", "L['self']", "  [inductor region (compile)] enter\n") if compiled else ("[nn.Mod]", "Net", "  [nn.Mod] Net\n")
    value = 2.0
    for i in range(3):
        out += "    %s %s.features.%d\n\n      # File: t.py:%d in forward, code: x = {'hash': t: f[1]}\n" % (mark, root, i, i)
        result = value + 1 + (0.5 if bad and i == 1 else 0)
        out += "      aten::mm(t$1: f32[2, 4], t$2: f32[4, 4])  ->  t$3: f32[2, 4]  # {'input_hash': ((%r, 5.5), {}), 'hash': %r}\n" % (value, result)
        value = result
    out += "    aten::sum(t$3: f32[2, 4])  ->  t$4: f32[]  # {'input_hash': ((%r,), {}), 'hash': %r}\n" % (value, value * 2)
    return out


def saved(bad=False):
    scalar = lambda value: {"type": "scalar", "value": value}
    logs, value = [{"type": "annotate", "header": "nn.Mod", "tag": "Net", "call_depth": 1}], 2.0
    for i in range(3):
        result = value + 1 + (0.5 if bad and i == 1 else 0)
        logs.append({"type": "annotate", "header": "nn.Mod", "tag": "Net.features.%d" % i, "call_depth": 2})
        logs.append({"type": "op", "call_depth": 3, "op_name": "aten::mm", "args_str": "t: f32[2, 4], t: f32[4, 4]", "kwargs_str": "",
                     "output_str": "  ->  t: f32[2, 4]",
                     "log": {"type": "dict", "items": [["input_hash", {"type": "tuple", "items": [
                         {"type": "tuple", "items": [scalar(value), scalar(5.5)]}, {"type": "dict", "items": []}]}], ["hash", scalar(result)]]}})
        value = result
    return json.dumps({"format": "torch.utils._debug_mode.DebugMode.logs", "version": 1, "logs": logs})


def metrics(bad=-1):
    """A spike of layer 2 at step `bad`."""
    return "".join(json.dumps({"step": float(step), "learning/loss": 2.5,
                               **{"activ_%s/layer_%03d" % (op, layer): 1 + layer / 10 + (5 if (layer, step) == (2, bad) else 0) + step % 3 / 100
                                  for op in ("mean", "stdev") for layer in range(4)}}) + "\n" for step in range(30))


def answers(bad=False):
    """The same ten tokens by two servers: one is off from token 4 on."""
    values = [(100 + i, -0.1 * i - (0.4 if bad and i > 3 else 0)) for i in range(10)]
    chat = {"object": "chat.completion", "choices": [{"logprobs": {"content": [{"token": "t%d" % i, "logprob": v, "top_logprobs": []} for i, v in values]}}]}
    return json.dumps(chat), json.dumps({"text": "x", "meta_info": {"output_token_logprobs": [[v, i, None] for i, v in values]}})


def servers(bad=False):
    """The tokens of answers() as other servers and MaxText give them."""
    values = [(100 + i, -0.1 * i - (0.4 if bad and i > 3 else 0)) for i in range(10)]
    yield "prompt.json", {"choices": [], "prompt_logprobs": [None] + [{str(i): {"logprob": v, "rank": 1, "decoded_token": "t%d" % i}} for i, v in values]}
    yield "tgi.json", {"generated_text": "x", "details": {"tokens": [{"id": i, "text": "t%d" % i, "logprob": v, "special": False} for i, v in values]}}
    yield "llama-server.json", {"content": "x", "completion_probabilities": [{"id": i, "token": "t%d" % i, "logprob": v, "top_logprobs": []} for i, v in values]}
    yield "logits.jsonl", {"tokens": [i % 4 for i, _ in values], "logits": [[0.5 * ((i + k) % 3) - (v if k == 1 else 0) for k in range(4)] for i, v in values]}
    yield "scores.json", {"results": {task: {"alias": task, "acc,none": score - (0.05 if bad and task == "gsm8k" else 0), "acc_stderr,none": 0.01}
                                      for task, score in (("arc_easy", 0.76), ("gsm8k", 0.52))}}


def score_table(bad=False):
    rows = (("gsm8k", "flexible-extract", 0.52), ("", "strict-match", 0.47 if bad else 0.51))
    return "|Tasks|Version|     Filter     |n-shot|  Metric   |   |Value |   |Stderr|\n|-----|------:|----------------|-----:|-----------|---|-----:|---|-----:|\n" + "".join(
        "|%s|%s|%s|     5|exact_match|\u2191  |%.4f|\u00b1  |0.0137|\n" % (task, "3" if task else "", part, value) for task, part, value in rows)


def batches(bad=False):
    """(path, array) of the tokens of two steps and ranks: in the target the labels of the last are the tokens themselves."""
    for step in range(2):
        for rank in range(2):
            row = [[7 + (31 * (17 * k + j + 5 * step + 11 * rank)) % 900 for j in range(17)] for k in range(2)]
            last = bad and (step, rank) == (1, 1)
            for name, rows in (("tokens", [r[:-1] for r in row]), ("labels", [r[:-1] if last else r[1:] for r in row]),
                               ("loss_mask", [[int(j > 3) for j in range(16)]] * 2), ("position_ids", [list(range(16))] * 2)):
                head = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 16), }"
                head += " " * (-(len(head) + 11) % 64) + "\n"
                yield ("step_%d/rank_%d/%s.npy" % (step, rank, name),
                       b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<32q", *sum(rows, [])))


def train(bad=False):
    return "".join(" iteration %8d/      60 | learning rate: 1.000000E-05 | lm loss: %.6E | grad norm: %.3f |\n" % (
        i, 8 - 0.05 * i + (0.02 * i if bad and i > 5 else 0) + 0.001 * (i * 7 % 5), 1 + 0.01 * (i % 3)) for i in range(1, 61))


def found():
    """What a run leaves when a gradient is NaN, and what lies next to a monitor."""
    yield "anomaly.log", ("UserWarning: Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n  File \"model.py\", line 41, in forward\n"
                          "    scale = torch.sqrt(variance)\nTraceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n    loss.backward()\n"
                          "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.\n")
    yield "norms.log", "".join("model.layers.%d.mlp.down_proj.weight grad_norm: %s\n" % (i, "nan" if i < 2 else 0.5 + i) for i in range(5, -1, -1))
    yield "module_struct.json", json.dumps({"0:layers.%d.%s" % (i, part): {"input": {"config": "tuple[1]", "0": "size=(4, 1, 8), dtype=torch.float32"},
                                                                          "output": {"config": "tuple[1]", "0": "size=(4, 1, 8), dtype=torch.float32"}}
                                                  for i in range(2) for part in ("attention", "mlp")})
    tag = "0:layers.%d.mlp.output_grad:0/rank%d/actv_grad"
    yield "anomaly_analyse.json", json.dumps({tag % pair + "_step_12_call_%d" % (88 + pair[1]): {
        "rank": pair[1], "step": 12, "micro_step": 0, "pp_stage": 0, "vpp_stage": 0, "call_id": 88 + pair[1], "tag_name": tag % pair,
        "message": "Rule AnomalyTurbulence reports anomaly signal in ('%s', 'norm') at step 12." % (tag % pair), "group_mates": [0, 1]} for pair in ((1, 0), (3, 1))})
    yield "experiments.csv", "experiment,cards,tp,golden,target\none,1,1,golden/one.log,target/one.log\ntp2,2,2,golden/train.log,target/train.log\n"
    yield "summary.csv", "dataset,version,metric,mode,gpu,npu\narc,1d7fe4,accuracy,gen,76.0,76.1\ngsm8k,8c3f0a,accuracy,gen,52.0,47.0\n"


def workbook(path, rows):
    """A sheet of texts and numbers."""
    cell = lambda value: '<c t="inlineStr"><is><t>%s</t></is></c>' % value if isinstance(value, str) else "<c><v>%r</v></c>" % value
    sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData></worksheet>' % "".join(
        "<row>%s</row>" % "".join(map(cell, row)) for row in rows)
    kinds, relations = "http://schemas.openxmlformats.org/package/2006/", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    part = '<Relationships xmlns="' + kinds + 'relationships"><Relationship Id="r1" Type="' + relations + '/%s" Target="%s"/></Relationships>'
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("[Content_Types].xml", '<Types xmlns="' + kinds + 'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>')
        book.writestr("_rels/.rels", part % ("officeDocument", "xl/workbook.xml"))
        book.writestr("xl/workbook.xml", '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="' + relations +
                      '"><sheets><sheet name="result" sheetId="1" r:id="r1"/></sheets></workbook>')
        book.writestr("xl/_rels/workbook.xml.rels", part % ("worksheet", "worksheets/sheet1.xml"))
        book.writestr("xl/worksheets/sheet1.xml", sheet)


def database(path):
    """msProbe's graph viewer: a row a node."""
    if os.path.exists(path):
        os.remove(path)
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE tb_nodes (node_name, precision_index, input_data, output_data, step, rank, sub_nodes, data_source, node_order)")
        for i in range(5):
            for side in ("NPU", "Bench"):
                slot = {"layers.%d.output.0" % i: {"Result": "error" if i > 1 else "pass", "NormRelativeErr": "50%" if i > 1 else "0%", "dtype": "torch.float32"}}
                file.execute("INSERT INTO tb_nodes VALUES (?, ?, '{}', ?, 0, 0, '[]', ?, ?)", ("layers.%d" % i, 0.9 if i > 1 else 0.0, json.dumps(slot), side, i))


def results():
    """Results of other comparators: layer 2 is the first that fails."""
    layers = [(i, 0.5 if i > 1 else 0.0) for i in range(5)]
    word = lambda bad, names: names[1 if bad else 0]
    yield "precision_report.csv", ("module_name,check_type,tensor_index,status,max_abs_diff,mean_abs_diff,max_rel_diff,shape,note\nLOSS,loss,0,FAIL,1.0e-02,"
                                   "N/A,N/A,eager=6.91 compiled=6.92,\n" + "".join("layers.%d,fwd_output,0,%s,%.6e,0,0,\"(2, 4)\",\n" % (
                                       i, word(d, ("PASS", "FAIL")), d) for i, d in layers))
    yield "result_1.csv", ("Index,OpType,NPUDump,GroundTruth,CosineSimilarity,CompareFailReason,IsOutputNode,IsPrecisionError\n" + "".join(
        "%d,MatMul,layers.%d,a,b,%g,,NO,%s\n" % (i, i, 1 - d, word(d, ("NO", "YES"))) for i, d in layers))
    yield "compare_result_1.csv", "NPU Name,Bench Name,Max diff,MaxRelativeErr,Result,Err_message\n" + "".join(
        "Module.layers.%d.Linear.forward.0.output.0,x,%g,%g,%s,[]\n" % (i, d, d, word(d, ("pass", "error"))) for i, d in layers)
    yield "polygraphy.log", "".join("[I]     Comparing Output: 'layers.%d' (dtype=float32, shape=(1, 4))\n[I]         %s | Output: 'layers.%d' | %s (rel=1e-05)\n" % (
        i, word(d, ("PASSED", "FAILED")), i, word(d, ("Difference is within tolerance", "Difference exceeds tolerance"))) for i, d in layers)
    yield "layers.log", "".join("layers.%d max_abs_diff=%g\n" % pair for pair in layers)
    yield "layers.md", "| layer | max diff |\n|---|---|\n" + "".join("| layers.%d | %g |\n" % pair for pair in layers)
    yield "layers.csv", "layer,cosine_similarity,max_rel_err\n" + "".join("layers.%d,%g,%g\n" % (i, 1 - d, d) for i, d in layers)
    yield "layers.jsonl", "".join(json.dumps({"name": "layers.%d" % i, "max_abs_diff": d, "passed": not d}) + "\n" for i, d in layers)
    yield "npz.log", "".join("[layers.%d     ]  %s\n    (1, 4) float32\n%s" % (i, word(d, ("EQUAL [PASSED]", "NOT_SIMILAR [FAILED]")),
                                                                       "    cosine_similarity = 0.5\n" if d else "") for i, d in layers) + "npz compare FAILED.\n"
    yield "numpy.log", ("FAIL: layers.2 (test_model)\nAssertionError:\nNot equal to tolerance rtol=1e-05, atol=0\n\nMismatched elements: 3 / 12 (25%)\n"
                        "Max absolute difference among violations: 0.5\nMax relative difference among violations: 0.5\n x: array([1.])\n y: array([1.5])\n")
    yield "compiled.log", ("E1129 10:00:05.71 12 torch/_dynamo/utils.py:3706] RMSE (res-fp64): 0.00501, (ref-fp64): 0.00002 and shape=torch.Size([8, 16])\n"
                           "E1129 10:00:05.72 12 torch/_dynamo/utils.py:3600] Accuracy failed for key name layers.2.weight.grad\n")
    yield "gap.csv", ",aot_ops,runtime_ops,gap,stacktraces\n" + "".join("%d,['aten.mm'],layers.%d,%g,x\n" % (
        i, i, d if i == 2 else d / 2) for i, d in layers)


def checksums(off=3):
    """Lists of a trainer, a converter and an engine: the engine has other values of one weight."""
    names = ["model.layers.%d.%s.weight" % (i, part) for i in range(3) for part in ("attn.o_proj", "mlp.down_proj")]
    def sums(off=-1):
        return {name: hashlib.sha256((name + "x" * (i == off)).encode()).hexdigest() for i, name in enumerate(names)}
    yield "trainer.json", json.dumps({"module." + name: value for name, value in sums().items()})
    yield "converter.json", json.dumps({"checksums": {name: {"sha256": value, "shape": [4]} for name, value in sums().items()}})
    yield "engine.txt", "".join("%s  %s\n" % (value, name) for name, value in sums(off).items())
    yield "engine.csv", "name,checksum\n" + "".join("%s,%s\n" % item for item in sums(off).items())


def write(out):
    for side, bad in (("golden", False), ("target", True)):
        os.makedirs(os.path.join(out, side), exist_ok=True)
        chat, sglang = answers(bad)
        for name, text in (("rank_0_activations.log", titan(4 if bad else -1)), ("ort.txt", nodes(3 if bad else -1)), ("probe.jsonl", probe(3 if bad else 99)),
                           ("eager.txt", eager(bad=bad)), ("logs.json", saved(bad)), ("layers.jsonl", metrics(20 if bad else -1)), ("chat.json", chat),
                           ("sglang.json", sglang), ("train.log", train(bad)), ("one.log", train()), ("scores.md", score_table(bad)), *((name, json.dumps(data)) for name, data in servers(bad)), *([("compiled.txt", eager(True, True))] if bad else [])):
            put(os.path.join(out, side, name), text)
        for name, data in batches(bad):
            path = os.path.join(out, side, "batches", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
    similarity = {"layers.%d.weight" % i: {"l2": 0.5 * (i == 2), "cos": 0.9 if i == 2 else 1.0, "numel": 4, "shape": [4]} for i in range(5)}
    for name, text in [*results(), *checksums(), *found(), ("stderr.txt", frames(2)), ("ckpt_similarity.json", json.dumps(similarity))]:
        put(os.path.join(out, name), text)
    database(os.path.join(out, "compare_result_1.vis.db"))
    workbook(os.path.join(out, "compare_result_1.xlsx"), [["NPU Name", "Bench Name", "Max diff", "MaxRelativeErr", "Result", "Err_message"]] + [
        ["Module.layers.%d.Linear.forward.0.output.0" % i, "x", 0.5 * (i > 1), 0.5 * (i > 1), "error" if i > 1 else "pass", "[]"] for i in range(5)])


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else "other-tools")
