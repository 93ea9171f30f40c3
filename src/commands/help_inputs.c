// SPDX-License-Identifier: Apache-2.0
// vernier help inputs: whatever is read as a dump, a checkpoint or a table of its own; the table of
// docs/reference/input.md, which a test holds equal.
#include <stdio.h>

#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/terminal_text.h"

static const struct {
    const char *input;     // TR
    const char *accepted;  // TR
} inputs[] = {
    {TR("dump"),
     TR("`dump.json`, a rank folder (`rank0`, `rank`, `proc2016`, `pid7`), a step folder, a root "
        "with `step0`, `step1`, …, or a root with `pynative`/`graph`; SGLang's "
        "`TP0_PP0_Rank0_pid1234` are ranks whatever the process number, and a folder that holds "
        "only `dump_20260801_101112` stands for that one")},
    {TR("archives"),
     TR("`.tar.gz`, `.tgz`, `.tar` and `.zip` of any of these folders, and `.gz` of a dump or a "
        "log: read where they are")},
    {TR("framework"),
     TR("PyTorch, MindSpore, MSAdapter (`mindtorch`); told from the tensors where the header has "
        "none")},
    {TR("level"), TR("L0 (modules), L1 (APIs; a flat sequence), mix")},
    {TR("task"), TR("statistics, statistics with checksums, tensor (`.npy`, `.pt`), structure")},
    {TR("arrays by name"),
     TR("a `.npz` of `numpy.savez` or `savez_compressed` or a safetensors file whose names are "
        "not those of weights, alone or in a folder (`step0/rank0/acts.npz`): each array is what "
        "the module of that name gave, in the order in which they were written (where that is "
        "the alphabet's, digits count by value)")},
    {TR("tensors alone"),
     TR("a safetensors checkpoint next to a dump; a folder with `.npy`, `.pt`, `.npz` and "
        "safetensors files at any depth (`step0/rank0/tokens.npy`), `.pt` files with a dict "
        "of tensors included. Compared by name, element by element; integers that differ are "
        "counted. Where a dump lies below, loose tensor files are only named")},
    {TR("SGLang, vLLM: forward passes"),
     TR("`Pass00000.pt`, or the rank folder with such files: outputs of modules in "
        "execution order; the pass is the call number (`…qkv_proj#1`). Numbers, flags and "
        "strings are compared too, lists of up to 64 numbers one by one; anything below "
        "`meta` is not. What is neither makes the verdict `PARTIAL`")},
    {TR("SGLang's dumper"),
     TR("a folder of `step=0___rank=0___dump_index=3___name=attn_out.pt` (`value` and `meta`): "
        "`dump_index` is the order, the other tags are the name; "
        "`non_intrusive__MODULE.inputs.0` and `.output` are the slots of a module; parts on "
        "several ranks are joined as `dims` say")},
    {TR("TensorRT-LLM's debug hook"),
     TR("a folder of `1.LlamaModel-2.LlamaMLP-input.x.pt`, `…-output.0.pt`")},
    {TR("vLLM's intermediate logging"),
     TR("`step_0/MODULE/inputs_0_cuda_0.pt`, `outputs_cuda_0.pt`: in the order of its "
        "`module_calls.txt`, a module after those within it")},
    {TR("checkpoints"),
     TR("two of these, compared weight by weight (docs/checkpoints.md): safetensors, "
        "`torch.save` (`.pt`, `.pth`, `.bin`), MindSpore's `.ckpt`, arrays of `numpy.savez` "
        "or `savez_compressed` (`.npz`); a folder with the shards of one, or with one "
        "`.npy` or `.pt` a weight; a file with one tensor, such as llama.cpp's logits "
        "(`.bin`, float32 only)")},
    {TR("log-probabilities of tokens"),
     TR("for `tokens`: JSON Lines of NeMo-RL and similar ones (`train_data_step7.jsonl`), "
        "answers of OpenAI-compatible servers (vLLM), SGLang, TGI and llama.cpp, slime's "
        "debug data (`.pt`), MaxText's golden logits, `.npy` with `--mask` and `--ids`, CSV "
        "with a token a row; `samples/tokens` makes them")},
    {TR("accuracy pre-check"),
     TR("for `precheck`: `accuracy_checking_result_*.csv`, `accuracy_checking_details_*.csv`, "
        "`api_precision_compare_*.csv`, `free_benchmark.csv`, `comparator_report.jsonl` of "
        "SGLang; `samples/precheck` makes them")},
    {TR("results of other comparators"),
     TR("for `precheck`, also alone: msProbe's `compare_result_*.csv` and `.xlsx`, its "
        "PrecisionChecker's CSV, `result_*.csv` of msaccucmp, the console of `polygraphy "
        "run`, lines with a name and `max diff`, `diff_max`, …: the first that fails in the "
        "order of the file; ExecuTorch's table of numeric gaps, msProbe's `ckpt_similarity.json`: "
        "the largest first; the graph viewer's `.vis.db`")},
    {TR("scores of an evaluation"),
     TR("for `precheck`, two files, and the stage `evaluation` of a study: results of "
        "lm-evaluation-harness; a score may differ by 1 %")},
    {TR("a table of experiments"),
     TR("for `study`: CSV or xlsx with a row a configuration, `experiment`, settings, `golden` and "
        "`target` (logs)")},
    {TR("output of a training monitor"),
     TR("for `monitor`: folders of CSV files of msProbe's monitor, of every generation, or "
        "such files alone (any name, `.csv.gz`), and its event files (`format: tensorboard`); "
        "metrics of layers of MaxText (`activ_mean/layer_003`); "
        "`nvdlfw_inspect_statistics_logs` of TransformerEngine and Megatron-LM; "
        "`samples/inspect` makes the latter")},
    {TR("`debug.json`"), TR("what the debugger saved, item by item")},
    {TR("`vernier.dump/1`"),
     TR("`dump.jsonl`, or any `.jsonl` with that header: one tensor a line, written by hooks of "
        "your own (docs/dump-format.md) or by `vernier convert`; `samples/hooks` has one for "
        "PyTorch and one for JAX")},
    {TR("debug tree of transformers"),
     TR("`*_debug_tree_FULL_TENSORS.json` or `*_debug_tree_SUMMARY.json` of "
        "`model_addition_debugger_context`, or the folder that holds them: modules with their "
        "inputs and outputs, the tensors (`use_repr=False`) element by element; "
        "`samples/debug-tree` makes a pair")},
    {TR("llama.cpp's eval callback"),
     TR("the text of `llama-eval-callback` or `llama-debug --verbose`, under any name: nodes in "
        "the order in which they ran, the mean that each sum gives. Nodes that are what a module "
        "gives (`attn_norm-0`, `ffn_up-2`, `l_out-3`, `result_norm`) pair with the modules of a "
        "PyTorch dump of the model")},
    {TR("PyTorch's DebugMode"),
     TR("text of `debug_string()`, best with `record_nn_module` and hashes: an op a call, named by "
        "module, `[triton]` kernels included. A hash of the norm is "
        "shown as Norm, so compare it with DebugMode only; a hash of the bits is a "
        "checksum. Another line with a tensor makes the verdict `PARTIAL`")},
    {TR("Polygraphy"),
     TR("`--save-outputs` JSON: an op an output, statistics from the arrays within")},
    {TR("torchao's `quant_logger`"),
     TR("its CSV: a row a tensor in the order of `counter_val`; the largest magnitude stands as "
        "Max")},
    {TR("PaddlePaddle's tensor checker"),
     TR("lines with `[PRECISION]`, between others of a log: an op a line, its calls counted")},
    {TR("these five in folders"),
     TR("where one file of a folder is such a dump (`.txt`, `.log`, `.csv`, `.json`; at most 16 "
        "files), the folder stands for it: `step0/rank0/llama.txt`")},
    {TR("logs with a block an op"),
     TR("torchtitan's `rank_N_activations.log`, ONNX Runtime's node dump with statistics "
        "(standard output), the report of transformers' `DebugUnderflowOverflow`, of PyTorch's "
        "anomaly mode, or lines with a parameter and its gradient norm, among other lines: "
        "`locate` says where a NaN or Inf came first")},
    {TR("a probe of one's own"),
     TR("JSON Lines without a header, a tensor a line: a name (`stage`, `module`, `layer`, "
        "`op`, `name`, …), `shape` or `dtype`, and two of `min`, `max`, `mean`, `norm`, "
        "`max_abs`, …; lines are in the order of execution, a name that comes again is its "
        "next call")},
    {TR("MindSpore's own dump"),
     TR("`statistic.csv`, every generation of its header, and tensors "
        "(`TYPE.NAME.TASK.STREAM.TIME.input.0.FORMAT.DTYPE.npy`), one iteration or the "
        "whole tree: `rank_N/NET/GRAPH/ITERATION` (O0, O1), "
        "`TIME/DEVICE/MODEL/ID/ITERATION` (O2), `rank_N/TIME/step_N` (O2 by msProbe). Ranks "
        "and iterations pair like ranks and steps, kernels by name and call, in the order "
        "of `execution_order` or of their time stamps; `samples/mindspore-dump` makes them")},
    {TR("next to a monitor's series"),
     TR("its `module_struct.json` alone is a structure for `graph`; `anomaly_detected`, or "
        "a file of such alarms, is an input of `monitor`; `stack_info.csv` names the line "
        "of code")},
    {TR("msProbe's config_check"),
     TR("for `checklist`: its pack, zip or folder (`env`, `pip`, `dataset`, `weights`, "
        "`hyperparameters`, `random`); `samples/config-pack` makes two")},
    {TR("the first generation"),
     TR("`dump.pkl`, `api_stack_dump.pkl`: text, one JSON array a line. A real pickle is refused")},
    {TR("`stack.json`"), TR("grouped (since 8.1) and flat; optional")},
    {TR("`construct.json`"),
     TR("plain parents and Megatron's `[parent, micro step]`; optional: damage in it is "
        "reported and affects only the structure")},
};

int command_help_inputs(void)
{
    printf("%s\n", tr("What is read, told by its content:"));
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        printf("  %s\n      ", tr(inputs[i].input));
        terminal_print(stdout, 6, 6, tr(inputs[i].accepted));
    }
    putchar('\n');
    terminal_print(stdout, 0, 0,
                   tr("Logs: 'vernier help logs'. All of it may be in a .tar.gz, .tgz, .tar or "
                      ".zip (docs/input.md)."));
    return 0;
}
