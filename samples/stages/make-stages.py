#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dumps of reinforcement learning, whose steps are stages, from the dumps of samples/gpt:

    make-stages.py OUT

OUT/golden and OUT/target hold one folder a framework: verl (step_2/actor_update/step0/rank0), slime (update_actor/step0/rank0),
engine (dump_20260801_101112/TP0_PP0_Rank0_pid1234 of SGLang, another time and process on each side). One
stage of the target has a defect: verl's actor_update of step 2, slime's update_actor, the engine's second rank. Then:

    vernier compare OUT/golden/verl OUT/target/verl
    vernier compare OUT/golden/verl OUT/target/verl --stage actor_compute_log_prob
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STAGES = ("actor_compute_log_prob", "ref_compute_log_prob", "actor_update")
# By framework: the folders of a side, and the one in which the target differs.
LAYOUTS = {
    "verl": (["step_%d/%s/step0/rank0" % (step, stage) for step in (1, 2) for stage in STAGES], "step_2/actor_update/step0/rank0"),
    "slime": (["%s/step0/rank0" % stage for stage in ("generate", "log_probs", "update_actor")], "update_actor/step0/rank0"),
    "engine": (["dump_{time}/TP%d_PP0_Rank%d_pid{pid}%d" % (rank, rank, rank) for rank in range(2)],
               "dump_{time}/TP1_PP0_Rank1_pid{pid}1"),
}


def write(out):
    for side, named in (("golden", {"time": "20260801_101112", "pid": 123}), ("target", {"time": "20260802_090807", "pid": 456})):
        for framework, (folders, planted) in LAYOUTS.items():
            for folder in folders:
                dump = "target" if (side, folder) == ("target", planted) else "golden"
                shutil.copytree(os.path.join(HERE, os.pardir, "gpt", dump, "step0", "rank0"),
                                os.path.join(out, side, framework, folder.format(**named)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(sys.argv[1])
