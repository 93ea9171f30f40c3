// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"
#include "compare/invariant/law_tests.h"

// docs/checks.md is made from this table. Sources: the silent errors of TrainCheck (OSDI 2025) and
// of TTrace; what a law does not look at stands in its words, since a false alarm costs more than a
// law that is a little narrower.

const Law laws[] = {
    {
        .name = "replicas",
        .test = law_replicas,
        .words = TR("weights are equal on ranks that hold copies of them"),
        .needs = TR("dumps of several ranks with the weights of modules (level L0 or mix)"),
        .broken = TR("weights differ between copies"),
        .test_words = TR("every weight in its first forward call, step by step; experts are left "
                         "out, since expert parallelism puts others under the same name"),
    },
    {
        .name = "tensor-copies",
        .test = law_tensor_copies,
        .words = TR("norms and routers are equal on ranks that share the other weights"),
        .needs = TR("dumps of several tensor-parallel ranks with the weights of modules"),
        .broken = TR("norm or router weights differ over tensor-parallel ranks"),
        .test_words = TR("classes that end with LayerNorm, RMSNorm or Router; biases and gated "
                         "norms may be shares and are left out"),
    },
    {
        .name = "tied-embeddings",
        .test = law_tied_embeddings,
        .words = TR("embedding and head that were equal in the first step stay equal"),
        .needs = TR("weights of embedding and head, equal in the first step, and a later step"),
        .broken = TR("tied embeddings came apart"),
        .test_words = TR("pairs such as word_embeddings and output_layer, embed_tokens and "
                         "lm_head, on one rank or on both ends of a pipeline"),
    },
    {
        .name = "collective-calls",
        .test = law_collective_calls,
        .words = TR("all members of a group make the same communications in the same order"),
        .needs = TR("whole dumps of two or more members of a group, with its communications"),
        .broken = TR("members of a group make other communications"),
        .test_words = TR("name by name, in the order of the dump, for each group of ranks"),
    },
    {
        .name = "collective-results",
        .test = law_collective_results,
        .words = TR("what a collective brings is equal on its members and is what they gave"),
        .needs = TR("whole dumps of all members of a group, with results of collectives"),
        .broken = TR("members of a collective hold other results"),
        .test_words = TR("all_reduce and all_gather: equal results; broadcast: what the root gave; "
                         "parts of all_gather: what each member gave. Asynchronous calls are left "
                         "out: their results may come later"),
    },
    {
        .name = "collective-sums",
        .test = law_collective_sums,
        .words = TR("what a reduction brings is the sum, or the mean, of what was given"),
        .needs = TR("Mean and Norm of what all members of a reduction gave and got"),
        .broken = TR("a reduction brings something else than the sum"),
        .test_words = TR("by the law of the statistics: Mean of the sum is the sum of Means, its "
                         "Norm at most the sum of Norms, within 4 rounding steps of the dtype"),
    },
    {
        .name = "reduced-use",
        .test = law_reduced_use,
        .words = TR("what members do in place with the result of an all_reduce is the same"),
        .needs = TR("in-place calls (level L1 or mix) on the results of all_reduce"),
        .broken = TR("ranks use a reduced tensor in other ways"),
        .test_words = TR("the first in-place call on the result: its name and what it gives, such "
                         "as the division by the number of ranks"),
    },
    {
        .name = "transfers",
        .test = law_transfers,
        .words = TR("what is received is what was sent"),
        .needs = TR("dumps of sender and receiver, with the tensors of send and recv"),
        .broken = TR("a received tensor is not the one that was sent"),
        .test_words = TR(
            "send and recv, call by call between two ranks; isend, irecv and batches are left out"),
    },
    {
        .name = "dp-inputs",
        .test = law_dp_inputs,
        .words = TR("ranks that hold copies of the weights work on other data"),
        .needs =
            TR("dumps of several ranks with copies of the weights, from the input of the model on"),
        .broken = TR("data-parallel ranks work on the same data"),
        .test_words = TR("broken where all inputs are equal and so is all that is made of them "
                         "before the first communication; holds where an input differs"),
    },
    {
        .name = "tp-inputs",
        .test = law_tp_inputs,
        .words = TR("ranks that share weights get the same tokens and labels"),
        .needs = TR("dumps of several tensor-parallel ranks with integers that go into modules, "
                    "with more than Max and Min"),
        .broken = TR("tensor-parallel ranks get other tokens"),
        .test_words = TR("integer inputs of embedding and loss modules that no earlier call gave"),
    },
    {
        .name = "tp-norms",
        .test = law_tp_norms,
        .words = TR("ranks that share weights put the same values into their norms"),
        .needs = TR("dumps of several tensor-parallel ranks with modules that norm, without "
                    "sequence parallelism"),
        .broken = TR("tensor-parallel ranks put other values into a norm"),
        .test_words = TR("the first input of LayerNorm and RMSNorm modules, call by call; norms of "
                         "queries and keys, of experts and of ranks that scatter sequences before "
                         "the first backward are left out"),
    },
    {
        .name = "step-inputs",
        .test = law_step_inputs,
        .words = TR("each step has another batch than the one before"),
        .needs = TR("dumps of two steps that follow each other, with inputs of the model"),
        .broken = TR("a step repeats the batch of the step before"),
        .test_words =
            TR("broken where all inputs are equal and one of them has Mean and Norm, or a "
               "checksum, in a dump that begins with the data; a run that repeats one "
               "batch on purpose skips it"),
    },
    {
        .name = "module-order",
        .test = law_module_order,
        .words = TR("ranks that share weights call the same modules in the same order"),
        .needs = TR("dumps of several tensor-parallel ranks with modules"),
        .broken = TR("tensor-parallel ranks call other modules"),
        .test_words = TR("forward calls of modules, name by name; ranks with copies may run "
                         "further forwards, so they are left out"),
    },
    {
        .name = "gradients",
        .test = law_gradients,
        .words = TR("every trained weight that a forward call uses gets a gradient"),
        .needs = TR("weights with requires_grad, backward calls and gradients of weights in one "
                    "whole dump"),
        .broken = TR("no gradient reaches a trained weight"),
        .test_words = TR("broken where neither a gradient nor a backward call of its module came, "
                         "and the output of the module required one"),
    },
    {
        .name = "zero-gradients",
        .test = law_zero_gradients,
        .words = TR("no gradient is zero throughout"),
        .needs = TR("gradients of weights with Max and Min; of zeros two steps"),
        .broken = TR("a gradient is zero in every step"),
        .test_words =
            TR("broken where a gradient is all zeros in two steps or more, on every rank; "
               "experts are left out: they may get no token"),
    },
    {
        .name = "updates",
        .test = law_updates,
        .words = TR("weights that get a gradient change with the step"),
        .needs = TR(
            "dumps of two steps that follow each other, with float32 weights and their gradients"),
        .broken = TR("a trained weight does not change"),
        .test_words = TR("broken where a weight stays as it is to the last bit while others moved "
                         "whose gradients, relative to their weights, are no larger: a quarter of "
                         "all, or one with a quarter of it; or where no weight moves for two "
                         "steps. float16 and bfloat16 are left out: small steps are rounded away"),
    },
    {
        .name = "frozen",
        .test = law_frozen,
        .words = TR("weights that are not trained do not change"),
        .needs = TR("dumps of two steps that follow each other, with float32 weights that need no "
                    "gradient"),
        .broken = TR("a frozen weight changed"),
        .test_words =
            TR("nothing is said where half of them or more move: they may be an average of others"),
    },
    {
        .name = "recompute",
        .test = law_recompute,
        .words = TR("recomputed modules repeat what the first call gave"),
        .needs = TR("modules with is_recompute (msProbe 1.2.2 to 26.0)"),
        .broken = TR("a recomputed module does not repeat its first call"),
        .test_words = TR("a first call with the same inputs exists and its outputs agree within "
                         "1e-5 (float32) or 1e-2"),
    },
    {
        .name = "finite",
        .test = law_finite,
        .words = TR("no NaN and no Inf but those of masks"),
        .needs = TR("tensors with Max and Min"),
        .broken = TR("values are not finite"),
        .test_words = TR("as vernier locate finds them"),
    },
    {
        .name = "saturation",
        .test = law_saturation,
        .words = TR("no float16 result stands at its largest number"),
        .needs = TR("float16 tensors with Max"),
        .broken = TR("float16 results are clamped"),
        .test_words = TR("Max of an output is 65504 and no input has it; -65504 is usual in masks"),
    },
    {
        .name = "constant",
        .test = law_constant,
        .words = TR("products of varied inputs and weights vary"),
        .needs = TR("linear, conv and matmul calls (level L1 or mix) with statistics"),
        .broken = TR("a product has one value throughout"),
        .test_words =
            TR("inputs and weights with more than one value, 16 elements of output or more"),
    },
    {
        .name = "softmax",
        .test = law_softmax,
        .words = TR("rows of a softmax sum up to 1"),
        .needs = TR("softmax calls (level L1 or mix) with their dimension and statistics"),
        .broken = TR("a softmax is none"),
        .test_words = TR("Mean times the size of the dimension within 1e-3 of 1 (float16, "
                         "bfloat16: 5e-2), values from 0 to 1"),
    },
    {
        .name = "dtypes",
        .test = law_dtypes,
        .words = TR("norms, softmax and losses have one dtype on all ranks and in all steps"),
        .needs = TR("two dumps of ranks that do the same work, or of one rank in two steps"),
        .broken = TR("a norm, softmax or loss changes its dtype"),
        .test_words = TR("the first output, call by call of one name"),
    },
};
const size_t law_count = sizeof laws / sizeof *laws;
