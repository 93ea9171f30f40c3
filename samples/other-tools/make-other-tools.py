#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What other tools print or write of a run, for a golden and a target with a planted defect:

    make-other-tools.py OUT

OUT/golden and OUT/target hold rank_0_activations.log (torchtitan), ort.txt (ONNX Runtime's node dump), probe.jsonl (a probe of one's
own), eager.txt, logs.json (DebugMode, saved by save_logs), layers.jsonl (MaxText's metrics of layers), chat.json (an OpenAI-compatible
server) and sglang.json; OUT/target/compiled.txt is DebugMode of a compiled model. OUT itself holds stderr.txt (transformers'
DebugUnderflowOverflow) and results of other comparators: precision_report.csv, result_1.csv (msaccucmp), compare_result_1.csv
(msProbe), polygraphy.log, layers.log, layers.md, gap.csv (ExecuTorch), and checksums of weights: trainer.json, converter.json, engine.txt, engine.csv. Needs nothing but Python. Then:

    vernier compare OUT/golden/ort.txt OUT/target/ort.txt
    vernier precheck OUT/polygraphy.log
"""
import hashlib
import json
import os
import sys

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
                           ("sglang.json", sglang), *([("compiled.txt", eager(True, True))] if bad else [])):
            put(os.path.join(out, side, name), text)
    for name, text in [*results(), *checksums(), ("stderr.txt", frames(2))]:
        put(os.path.join(out, name), text)


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else "other-tools")
