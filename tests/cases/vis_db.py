#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`--format vis-db`: the database that msProbe's graph viewer opens."""
import filecmp
import json
import os
import shutil
import sqlite3
import subprocess

from program import Case, SAMPLES, VERNIER, main

COLUMNS = ["id", "graph_id", "node_order", "node_name", "node_type", "up_node", "sub_nodes", "precision_index",
           "overflow_level", "micro_step_id", "matched_node_link", "stack_id", "parallel_merge_info",
           "matched_distributed", "modified", "input_data", "output_data", "data_source", "dump_data_dir", "step", "rank",
           "is_distributed"]


def run(*arguments, **environment):
    env = dict(os.environ, LC_ALL="C", NO_COLOR="1", **environment)
    done = subprocess.run([VERNIER, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr.decode()


def tensor(size):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 2], "Max": size, "Min": 0, "Mean": 0.5 * size,
            "Norm": size, "requires_grad": False}


def integer(value):
    return {"type": "int", "value": value}


class VisDb(Case):
    def open(self, *arguments):
        code, _, stderr = run(*arguments, "-o", self.out, "--format", "vis-db")
        self.assertIn(code, (0, 1), stderr)
        path = [name for name in os.listdir(self.out) if name.endswith(".vis.db")]
        self.assertEqual(len(path), 1)
        database = sqlite3.connect(os.path.join(self.out, path[0]))
        database.row_factory = sqlite3.Row
        self.addCleanup(database.close)
        return database

    def check_viewer_needs(self, database):
        self.assertEqual([row["name"] for row in database.execute("PRAGMA table_info(tb_nodes)")], COLUMNS)
        named = [row["name"] for row in database.execute("PRAGMA index_list(tb_nodes)") if row["origin"] == "c"]
        self.assertEqual(len(named), 7)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        self.assertEqual(database.execute("PRAGMA journal_mode").fetchone()[0], "delete")
        self.assertEqual(database.execute("SELECT count(*) FROM tb_config").fetchone()[0], 1)
        roots = database.execute("SELECT graph_id, count(*) FROM tb_nodes WHERE up_node='' GROUP BY graph_id").fetchall()
        graphs = database.execute("SELECT DISTINCT graph_id FROM tb_nodes").fetchall()
        self.assertEqual((len(roots), {row[1] for row in roots}), (len(graphs), {1}))
        lost = database.execute("SELECT count(*) FROM tb_nodes LEFT JOIN tb_stack ON stack_id=tb_stack.id "
                                "WHERE tb_stack.id IS NULL").fetchone()[0]
        self.assertEqual(lost, 0)
        by_graph = {}
        for row in database.execute("SELECT * FROM tb_nodes"):
            by_graph.setdefault(row["graph_id"], {})[row["node_name"]] = row
            for column in ("input_data", "output_data", "matched_node_link", "matched_distributed"):
                json.loads(row[column])
        for nodes in by_graph.values():
            for name, row in nodes.items():
                for child in json.loads(row["sub_nodes"] or "[]"):
                    self.assertEqual(nodes[child]["up_node"], name)
                    self.assertLess(nodes[child]["node_order"], row["node_order"])
        return by_graph

    def test_a_comparison_has_all_that_the_viewer_needs(self):
        for rules in ("vernier", "msprobe26"):
            shutil.rmtree(self.out, ignore_errors=True)
            database = self.open("compare", os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target"),
                                 "--rules", rules)
            nodes = self.check_viewer_needs(database)
            self.assertEqual(sorted(nodes), ["Bench_0_0", "NPU_0_0"])
            node = nodes["NPU_0_0"]["Functional.linear.8.forward"]
            self.assertEqual(json.loads(node["matched_node_link"])[-1], "Functional.linear.8.forward")
            item = json.loads(node["output_data"])["Functional.linear.8.forward.output.0"]
            self.assertTrue(item["NormRelativeErr"].endswith("%"))
            self.assertEqual(set(item), {"type", "dtype", "shape", "Max", "Min", "Mean", "Norm", "requires_grad", "data_name",
                                         "Max diff", "Min diff", "Mean diff", "L2norm diff", "MaxRelativeErr",
                                         "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr", "Requires_grad Consistent",
                                         "Result", "Err_message"})
            golden = nodes["Bench_0_0"]["Functional.linear.8.forward"]
            self.assertNotIn("Result", json.loads(golden["output_data"])["Functional.linear.8.forward.output.0"])
            self.assertIsNone(golden["precision_index"])
            config = database.execute("SELECT * FROM tb_config").fetchone()
            self.assertEqual((config["graph_type"], config["task"], config["rank_list"], config["step_list"]),
                             ("compare", "summary", "[0]", "[0]"))
            if rules == "vernier":
                self.assertEqual((node["precision_index"], item["Result"]), (1, "error"))

    def test_all_pairs_stand_in_one_database_with_the_same_bytes_again(self):
        arguments = ("compare", os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target"))
        self.check_viewer_needs(self.open(*arguments))
        again = os.path.join(self.folder, "again.vis.db")
        run(*arguments, "-o", again, "--jobs", "5", TZ="Asia/Shanghai")
        self.assertTrue(filecmp.cmp(os.path.join(self.out, "compare.vis.db"), again, shallow=False))
        _, stdout, _ = run(*arguments, "-o", "-", "--format", "vis-db")
        self.assertEqual(stdout[:15], b"SQLite format 3")

    # ---- communication across ranks

    def write_rank(self, side, rank, factor):
        group = {"type": "torch.ProcessGroup", "group_ranks": [0, 1], "group_id": "g1"}
        data = {"Module.a.A.forward.0": ([tensor(1)], {}, 1)}
        for name in ("all_reduce.0", "all_reduce.1"):
            data["Distributed.%s.forward" % name] = ([tensor(1)], {"group": group}, 1)
        data["Distributed.broadcast.0.forward"] = ([tensor(1), integer(0)], {"group": group}, 1)
        if rank == 0:
            data["Distributed.send.0.forward"] = ([tensor(1)], {"dst": integer(1)}, 1)
        else:
            data["Distributed.recv.0.forward"] = ([tensor(1)], {"src": integer(0)}, 1)
        data["Distributed.batch_isend_irecv.0.forward"] = ([], {}, 1)
        entries = {name: {"input_args": args, "input_kwargs": kwargs, "output": [tensor(factor * size)]}
                   for name, (args, kwargs, size) in data.items()}
        folder = os.path.join(self.folder, side, "step0", "rank%d" % rank)
        os.makedirs(folder)
        dump = {"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None, "data": entries}
        for name, content in (("dump.json", dump), ("construct.json", {name: None for name in entries}), ("stack.json", {})):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)

    def test_communication_nodes_are_linked_across_ranks(self):
        for side in ("target", "golden"):
            for rank in (0, 1):
                self.write_rank(side, rank, 2 if (side, rank) == ("target", 1) else 1)
        database = self.open("compare", os.path.join(self.folder, "golden"), os.path.join(self.folder, "target"))
        nodes = self.check_viewer_needs(database)

        def link(graph, name):
            return json.loads(nodes[graph]["Distributed.%s.forward" % name]["matched_distributed"])

        def partner(rank, index, name):
            return {str(rank): [index, "Distributed.%s.forward" % name]}

        for name in ("all_reduce.0", "all_reduce.1"):
            self.assertEqual(link("NPU_0_0", name), {"communications_type": "send_receive", "nodes_info": partner(1, "1", name)})
        self.assertEqual(link("NPU_0_0", "broadcast.0"),
                         {"communications_type": "send", "nodes_info": partner(1, "1", "broadcast.0")})
        self.assertEqual(link("NPU_0_0", "send.0"), {"communications_type": "send", "nodes_info": partner(1, "1", "recv.0")})
        self.assertEqual(link("NPU_0_1", "broadcast.0"),
                         {"communications_type": "receive", "nodes_info": partner(0, "0", "broadcast.0")})
        self.assertEqual(link("NPU_0_1", "recv.0"), {"communications_type": "receive", "nodes_info": partner(0, "0", "send.0")})
        self.assertEqual(link("Bench_0_0", "all_reduce.0")["nodes_info"], partner(1, "Nan", "all_reduce.0"))
        self.assertEqual(link("NPU_0_0", "batch_isend_irecv.0"), {})
        self.assertEqual([nodes["NPU_0_%d" % rank]["Apis_Between_Modules.0"]["node_type"] for rank in (0, 1)], ["9", "9"])


if __name__ == "__main__":
    main()
