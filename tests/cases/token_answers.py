#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier tokens` on what servers and trainers give: answers of OpenAI-compatible servers, SGLang and others, golden logits, files of
torch.save, tables with names of their own; turns; and what is refused in words."""
import json
import math
import random

from program import Case, main, run

WORDS = ["The", " sky", " is", " blue", " be\u2019cause", " of", " Ray", "leigh", " 7", "ing", "."]
GOLDEN = [-0.41, -0.02, -0.11, -0.33, -0.72, -0.05, -0.61, -0.002, -0.01, -0.0004, -0.21]
OFF = GOLDEN[:4] + [value - 0.3 for value in GOLDEN[4:]]


def chat(values, top=()):
    items = [{"token": word, "logprob": value, "bytes": [1], "top_logprobs": [{"token": t, "logprob": v} for t, v in top]}
             for word, value in zip(WORDS, values)]
    return {"id": "c", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"},
                                                                 "logprobs": {"content": items}, "finish_reason": "stop"}]}


def completion(values):
    return {"id": "c", "choices": [{"index": 0, "text": "x", "logprobs": {"token_logprobs": values, "tokens": WORDS,
                                                                          "top_logprobs": [{"a": -1.0}] * len(values)}}]}


def prompt(values):
    rows = [None] + [{str(100 + i): {"logprob": v, "rank": 1, "decoded_token": w}, "5": {"logprob": -9.0, "rank": 2, "decoded_token": "q"}}
                     for i, (v, w) in enumerate(zip(values, WORDS))]
    return {"id": "c", "choices": [], "prompt_logprobs": rows}


def sglang(values):
    return [{"text": "x", "meta_info": {"id": "r", "output_token_logprobs": [[v, 100 + i, w] for i, (v, w) in enumerate(zip(values, WORDS))],
                                        "output_top_logprobs": [[[-1.0, 5, None]]] * len(values)}}]


def tgi(values):
    return {"generated_text": "x", "details": {"finish_reason": "length", "tokens": [
        {"id": i, "text": w, "logprob": v, "special": False} for i, (v, w) in enumerate(zip(values, WORDS))]}}


def llama(values):
    return {"content": "x", "completion_probabilities": [{"id": i, "token": w, "bytes": [1], "logprob": v, "top_logprobs": []}
                                                         for i, (v, w) in enumerate(zip(values, WORDS))]}


class TokenAnswers(Case):
    def tokens(self, *arguments):
        code, verdict, said = run("tokens", *arguments, "-o", self.out, "--format", "json", cwd=self.folder)
        return code, verdict + said

    def both(self, golden, target):
        self.write("a.json", golden)
        self.write("b.json", target)
        return self.tokens("a.json", "b.json")

    def test_both_sides_in_one_file_are_known_by_who_gave_them(self):
        for one, other in (("generation_logprobs", "train_logprobs"), ("vllm_logprobs", "fsdp_logprobs"), ("engine_log_prob", "actor_log_probs"),
                           ("rollout_log_probs", "logprobs")):
            self.write("both.jsonl", json.dumps({"token_ids": list(range(9, 20)), one: GOLDEN, other: OFF}) + "\n")
            said = run("tokens", self.path("both.jsonl"), "-o", self.path("o.json"))[2]
            self.assertRegex(said, "DIFFERS .*from sample 0, token 4 on", one)

    def test_answers_of_every_server_give_the_token_at_which_they_part(self):
        for form, place in ((chat, 4), (completion, 4), (prompt, 5), (sglang, 4), (tgi, 4), (llama, 4)):
            for text in (json.dumps, lambda value: json.dumps(value, indent=1, ensure_ascii=False),
                         lambda value: json.dumps({"custom_id": "1", "response": {"body": value}}) + "\n"):
                code, said = self.both(text(form(GOLDEN)), text(form(OFF)))
                self.assertEqual((code, "DIFFERS   from sample 0, token %d on" % place in said), (1, True), said)
                self.assertEqual(self.both(text(form(GOLDEN)), text(form(GOLDEN)))[0], 0)

    def test_the_same_texts_are_the_same_tokens_however_they_are_written(self):
        code, said = self.both(json.dumps(chat(GOLDEN)), json.dumps(completion(GOLDEN), ensure_ascii=False))
        self.assertEqual((code, "SAME" in said), (0, True), said)
        code, said = self.both(json.dumps(completion(GOLDEN)), json.dumps(completion(GOLDEN)).replace(" sky", " sea"))
        self.assertEqual((code, "1 sample has other tokens" in said), (1, True), said)
        code, said = self.both(json.dumps(completion(GOLDEN)), json.dumps(sglang(GOLDEN)))
        self.assertEqual((code, "PARTIAL" in said, "whether they are the same tokens is not known" in said), (4, True, True), said)

    def test_an_answer_without_log_probabilities_is_never_equal(self):
        empty = {"choices": [{"index": 0, "message": {"content": "x"}, "logprobs": None, "finish_reason": "stop"}]}
        code, said = self.both(json.dumps(chat(GOLDEN)), json.dumps(empty))
        self.assertEqual((code, "ask the server for them" in said), (3, True), said)
        two = {"choices": chat(GOLDEN)["choices"] + empty["choices"]}
        code, said = self.both(json.dumps(two), json.dumps(two))
        self.assertEqual((code, "PARTIAL" in said), (4, True), said)
        broken = sglang([math.nan] * 11)
        self.assertEqual(self.both(json.dumps(broken), json.dumps(broken))[0], 3)
        self.assertEqual(self.both(json.dumps({"choices": []}), json.dumps({"choices": []}))[0], 3)

    def test_candidates_show_what_the_chosen_token_does_not(self):
        top = [("a", -0.5), ("b", -1.2), ("c", -3.0)]
        code, said = self.both(json.dumps(chat(GOLDEN, top)), json.dumps(chat(GOLDEN, [("a", -0.5), ("b", -1.9), ("c", -3.0)])))
        self.assertEqual((code, "largest |Δ| 0.70" in said), (1, True), said)
        self.assertEqual(self.both(json.dumps(chat(GOLDEN, top)), json.dumps(chat(GOLDEN, top)))[0], 0)

    def logits(self, change):
        rng = random.Random(3)
        rows = [[rng.gauss(0, 3) for _ in range(50)] for _ in range(8)]
        for name, of in (("a.jsonl", lambda i, k, v: v), ("b.jsonl", change)):
            self.write(name, json.dumps({"prompt": "p", "tokens": list(range(8)),
                                         "logits": [[of(i, k, v) for k, v in enumerate(row)] for i, row in enumerate(rows)]}) + "\n")
        return self.tokens("a.jsonl", "b.jsonl")

    def test_logits_are_compared_as_distributions(self):
        code, said = self.logits(lambda i, k, v: v + (0.4 if i == 5 and k % 5 == 0 else 0))
        self.assertEqual((code, "token 5 on" in said, "KL" in said), (1, True, True), said)
        code, said = self.logits(lambda i, k, v: v + 1.5)  # what is added to all changes no probability
        self.assertEqual((code, "DIFFERS" in said), (0, False), said)
        code, said = self.logits(lambda i, k, v: v * (1 + 1e-4))
        self.assertEqual((code, "AGREES" in said or "temperature" in said), (0 if "AGREES" in said else 1, True), said)

    def test_one_turn_that_is_off_is_named_and_no_routing(self):
        rng = random.Random(7)
        for bad in range(4):
            lines = []
            for _ in range(5):
                mask = ([1] * 10 + [0] * (4 + rng.randrange(5))) * 4
                golden = [-rng.expovariate(1) for _ in mask]
                turn = [sum(1 for k in range(1, i + 1) if mask[k] and not mask[k - 1]) for i in range(len(mask))]
                target = [v + rng.gauss(0, 1e-3) - (0.3 if t == bad and m else 0) for v, t, m in zip(golden, turn, mask)]
                lines.append(json.dumps({"token_ids": [1] * len(mask), "token_loss_mask": mask, "generation_logprobs": golden,
                                         "prev_logprobs": target}))
            self.write("turns.jsonl", "\n".join(lines) + "\n")
            code, said = self.tokens("turns.jsonl")
            self.assertEqual((code, "turn %d of the samples" % (bad + 1) in said, "routing" in said), (1, True, False), said)

    def test_a_folder_of_steps_tells_from_which_on_the_sides_part_more_and_more(self):
        for drift in (99, 12, 18):
            rng = random.Random(drift)
            for step in range(24):
                wide = 1e-3 * (1 if step < drift else 2 + 2 * (step - drift + 1))
                golden = [-rng.expovariate(1) - 0.1 for _ in range(60)]
                self.write("debug/train_data_step%d.jsonl" % (step + 1), json.dumps({
                    "generation_logprobs": golden, "prev_logprobs": [v + rng.gauss(0, wide) for v in golden]}) + "\n")
            code, said = self.tokens("debug")
            if drift == 99:
                self.assertEqual((code, "AGREES" in said), (0, True), said)
            else:
                self.assertEqual((code, "DIFFERS   from step %d on" % (drift + 1) in said), (1, True), said)
        self.write("none/readme.txt", "x")
        self.assertEqual(self.tokens("none")[0], 3)

    def test_a_table_with_names_of_its_own_is_read_or_says_what_to_type(self):
        rows = "".join("%d,%g,%g,%g\n" % (i, v, v, w) for i, (v, w) in enumerate(zip(GOLDEN, OFF)))
        self.write("two.csv", "token_id,x,hf_logprob,vllm_logprob\n" + rows)
        code, said = self.tokens("two.csv")
        self.assertEqual((code, "token 4 on" in said), (1, True), said)
        self.write("three.csv", "token_id,a_logprob,b_logprob,c_logprob\n" + rows)
        code, said = self.tokens("three.csv")
        self.assertEqual((code, "a_logprob,b_logprob,c_logprob" in said, "--columns GOLDEN,TARGET" in said), (3, True, True), said)
        self.assertEqual(self.tokens("three.csv", "--columns", "a_logprob,c_logprob")[0], 1)
        self.write("other.csv", "request_id,score_a,score_b\n" + "".join("%d,%g,%g\n" % (i // 4, v, w) for i, (v, w) in enumerate(zip(GOLDEN, OFF))))
        code, said = self.tokens("other.csv")
        self.assertEqual((code, "names two of these: request_id, score_a, score_b" in said, "--columns GOLDEN,TARGET" in said), (3, True, True), said)
        code, said = self.tokens("other.csv", "--columns", "score_a,score_b")
        self.assertEqual((code, "11 tokens of 3 samples" in said), (1, True), said)
        code, said = self.tokens("two.csv", "three.csv")
        self.assertEqual((code, "--columns" in said), (3, True), said)

    def test_files_of_torch_save_hold_samples_at_any_depth(self):
        import zipfile
        import pickle
        data = {"rollout_id": 0, "samples": [{"index": k, "tokens": list(range(20)), "response_length": 11, "loss_mask": [1] * 11,
                                              "rollout_log_probs": GOLDEN, "log_probs": OFF, "status": "completed"} for k in range(3)]}
        with zipfile.ZipFile(self.path("rollout.pt"), "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps(data, protocol=2))
            archive.writestr("archive/version", "3\n")
        code, said = self.tokens("rollout.pt")
        self.assertEqual((code, "token 4 on" in said, "33 tokens of 3 samples" in said), (1, True, True), said)


if __name__ == "__main__":
    main()
