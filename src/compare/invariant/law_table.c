// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"
#include "compare/invariant/law_tests.h"

// docs/reference/checks.md is made from this table; `shown` is in the order L1, L0, mix.
// Sources: the silent errors of TrainCheck (OSDI 2025) and of TTrace. The text of a law says what
// the law ignores, since a false alarm costs more than a law that is a little narrower.

const Law laws[] = {
    {
        .name = "replicas",
        .test = law_replicas,
        .stage = COMES_WEIGHTS,
        .shown = {SHOWN_RANKS, SHOWN_RANKS, SHOWN_RANKS},
        .over = OVER_COPIES,
        .words = TR("weights are equal on ranks that hold copies of them"),
        .needs = TR("checkpoints of several ranks, or their dumps with the weights of modules "
                    "(level L0 or mix)"),
        .broken = TR("weights differ between copies"),
        .test_words = TR("every weight in its first forward call, step by step; experts and "
                         "running statistics of norms are left out. PARTIAL where most weights "
                         "of copies differ and are equal again in a later step: they may be "
                         "averaged from time to time"),
    },
    {
        .name = "optimizer-copies",
        .test = law_optimizer_copies,
        .stage = COMES_WEIGHTS,
        .words = TR("what the optimizer keeps is equal on ranks that hold copies of the weights"),
        .needs = TR("checkpoints of several ranks with the state of the optimizer"),
        .broken = TR("the state of the optimizer differs between copies"),
        .test_words = TR("moments and master weights by name, to the last bit; nothing is said "
                         "where most differ, as under ZeRO"),
    },
    {
        .name = "tensor-copies",
        .test = law_tensor_copies,
        .stage = COMES_WEIGHTS,
        .shown = {SHOWN_NOT, SHOWN_RANKS, SHOWN_RANKS},
        .over = OVER_SHARES,
        .words = TR("norms and routers are equal on ranks that share the other weights"),
        .needs = TR("dumps of several tensor-parallel ranks with the weights of modules"),
        .broken = TR("norm or router weights differ over tensor-parallel ranks"),
        .test_words = TR("classes that end with LayerNorm, RMSNorm or Router; biases, gated "
                         "norms, and norms of queries or keys over all heads at once may be "
                         "shares and are left out"),
    },
    {
        .name = "tied-embeddings",
        .test = law_tied_embeddings,
        .stage = COMES_WEIGHTS,
        .shown = {SHOWN_STEPS, SHOWN_STEPS, SHOWN_STEPS},
        .words = TR("embedding and head that were equal in the first step stay equal"),
        .needs = TR("weights of embedding and head, equal in the first step, and a later step"),
        .broken = TR("tied embeddings came apart"),
        .test_words = TR("pairs such as word_embeddings and output_layer, embed_tokens and "
                         "lm_head, on one rank or on both ends of a pipeline"),
    },
    {
        .name = "collective-calls",
        .test = law_collective_calls,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_RANKS, SHOWN_NOT, SHOWN_RANKS},
        .words = TR("all members of a group make the same communications in the same order"),
        .needs = TR("whole dumps of two or more members of a group, with its communications"),
        .broken = TR("members of a group make other communications"),
        .test_words = TR("name by name, in the order of the dump, for each group of ranks"),
    },
    {
        .name = "collective-results",
        .test = law_collective_results,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_RANKS, SHOWN_NOT, SHOWN_RANKS},
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
        .stage = COMES_FORWARD,
        .shown = {SHOWN_RANKS, SHOWN_NOT, SHOWN_RANKS},
        .words = TR("what a reduction brings is the sum, or the mean, of what was given"),
        .needs = TR("Mean and Norm of what all members of a reduction gave and got"),
        .broken = TR("a reduction brings something else than the sum"),
        .test_words = TR("by the law of the statistics: Mean of the sum is the sum of Means, its "
                         "Norm at most the sum of Norms, within 4 rounding steps of the dtype"),
    },
    {
        .name = "reduced-use",
        .test = law_reduced_use,
        .stage = COMES_REDUCTION,
        .shown = {SHOWN_RANKS, SHOWN_NOT, SHOWN_RANKS},
        .words = TR("what members do in place with the result of an all_reduce is the same"),
        .needs = TR("in-place calls (level L1 or mix) on the results of all_reduce"),
        .broken = TR("ranks use a reduced tensor in other ways"),
        .test_words = TR("the first in-place call on the result: its name and its result, such "
                         "as the division by the number of ranks"),
    },
    {
        .name = "transfers",
        .test = law_transfers,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_RANKS, SHOWN_NOT, SHOWN_RANKS},
        .words = TR("what is received is what was sent"),
        .needs = TR("dumps of sender and receiver, with the tensors of send and recv"),
        .broken = TR("a received tensor is not the one that was sent"),
        .test_words = TR(
            "send and recv, call by call between two ranks; isend, irecv and batches are left out"),
    },
    {
        .name = "dp-inputs",
        .test = law_dp_inputs,
        .stage = COMES_INPUTS,
        .shown = {SHOWN_RANKS, SHOWN_RANKS, SHOWN_RANKS},
        .over = OVER_COPIES,
        .words = TR("ranks that hold copies of the weights work on other data"),
        .needs =
            TR("dumps of several ranks with copies of the weights, from the input of the model on"),
        .broken = TR("data-parallel ranks work on the same data"),
        .test_words = TR("broken where all inputs of any two are equal and so is all that is made "
                         "of them before the first communication; holds where an input differs"),
    },
    {
        .name = "tp-inputs",
        .test = law_tp_inputs,
        .stage = COMES_INPUTS,
        .shown = {SHOWN_NOT, SHOWN_RANKS, SHOWN_RANKS},
        .over = OVER_SHARES,
        .words = TR("ranks that share weights get the same tokens and labels"),
        .needs = TR("dumps of several tensor-parallel ranks with integers that go into modules, "
                    "with more than Max and Min"),
        .broken = TR("tensor-parallel ranks get other tokens"),
        .test_words = TR("integer inputs of embedding and loss modules that no earlier call gave"),
    },
    {
        .name = "tp-norms",
        .test = law_tp_norms,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_RANKS, SHOWN_RANKS, SHOWN_RANKS},
        .over = OVER_SHARES,
        .words = TR("ranks that share weights put the same values into their norms"),
        .needs = TR("dumps of several tensor-parallel ranks with modules that norm, without "
                    "sequence parallelism"),
        .broken = TR("tensor-parallel ranks put other values into a norm"),
        .test_words = TR("the first input of LayerNorm and RMSNorm modules, call by call; norms of "
                         "queries and keys, of experts and of ranks that scatter or gather before "
                         "the first backward, as sequence parallelism does, are left out"),
    },
    {
        .name = "step-inputs",
        .test = law_step_inputs,
        .stage = COMES_INPUTS,
        .shown = {SHOWN_STEPS, SHOWN_STEPS, SHOWN_STEPS},
        .words = TR("each step has another batch than the one before"),
        .needs = TR("dumps of two steps that follow each other, with inputs of the model"),
        .broken = TR("a step repeats the batch of the step before"),
        .test_words = TR("broken where all inputs are equal in a dump that begins with the data, "
                         "one of them has Mean and Norm or a checksum, and both steps train. "
                         "PARTIAL where another pair of steps of the rank has different inputs: "
                         "a model may take several steps on one batch"),
    },
    {
        .name = "labels",
        .local = LOCAL_LABELS,
        .stage = COMES_INPUTS,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("the targets of a loss are not the tokens that went into the embedding"),
        .needs = TR("checksums of the integers of embedding and loss, as many of the one as of "
                    "the other"),
        .broken = TR("a loss has the tokens themselves as targets"),
        .test_words = TR("cross_entropy and nll_loss against the first embedding: equal checksums, "
                         "so nothing was shifted. Statistics cannot tell: tokens rolled by one "
                         "have the same"),
    },
    {
        .name = "vocabulary",
        .local = LOCAL_VOCABULARY,
        .stage = COMES_INPUTS,
        .words = TR("every token is at least 0 and below the vocabulary size"),
        .needs = TR("arrays of tokens, as step_0/rank_0/tokens.npy; --vocab-size, or vocab_size in "
                    "the configuration of the run, for the upper bound"),
        .broken = TR("a token is none of the vocabulary"),
        .test_words = TR("tokens, input_ids and labels, element by element; of labels the ignore "
                         "index is left out: the one that is given, else -100"),
        .of_tokens = true,
    },
    {
        .name = "shift",
        .local = LOCAL_SHIFT,
        .stage = COMES_INPUTS,
        .words = TR("a label is the next token: labels are the tokens shifted by one"),
        .needs = TR("arrays of tokens and labels"),
        .broken = TR("labels are not the tokens shifted by one"),
        .test_words = TR("where the label counts and the mask is not 0; of input_ids labels may be "
                         "a copy, which models of Hugging Face shift themselves"),
        .of_tokens = true,
    },
    {
        .name = "loss-mask",
        .local = LOCAL_MASK,
        .stage = COMES_INPUTS,
        .words = TR("padding and labels that are ignored have a loss mask of 0"),
        .needs = TR("arrays of labels and loss_mask, with labels that are ignored"),
        .broken = TR("the loss mask counts padding or ignored labels"),
        .test_words = TR("labels equal to the ignore index, or to pad_token_id if it is given"),
        .of_tokens = true,
    },
    {
        .name = "positions",
        .local = LOCAL_POSITIONS,
        .stage = COMES_INPUTS,
        .words = TR("position ids restart where a packed sequence starts"),
        .needs = TR("arrays of tokens and position_ids, with packed sequences"),
        .broken = TR("position ids do not restart"),
        .test_words = TR("a sequence starts at bos_token_id (else at the token that begins the "
                         "row) after eos_token_id or a label that is ignored"),
        .of_tokens = true,
    },
    {
        .name = "batches",
        .test = law_batches,
        .stage = COMES_INPUTS,
        .words = TR("no batch occurs twice"),
        .needs = TR("arrays of tokens of several ranks or steps"),
        .broken = TR("a batch occurs twice"),
        .test_words = TR("all tokens of a rank in a step against every other; ranks that have one "
                         "batch in every step may share weights, and are left open"),
        .of_tokens = true,
    },
    {
        .name = "dropout",
        .local = LOCAL_DROPOUT,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("dropout drops where it is set to, and only there"),
        .needs = TR("calls of dropout (level L1 or mix) that tell p and training"),
        .broken = TR("dropout does not do what its settings say"),
        .test_words = TR("with training off or p 0 the output is the input; with p of 0.01 or "
                         "more and 1024 elements it is not; in-place calls are left out"),
    },
    {
        .name = "module-order",
        .test = law_module_order,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_NOT, SHOWN_RANKS, SHOWN_RANKS},
        .over = OVER_SHARES,
        .words = TR("ranks that share weights call the same modules in the same order"),
        .needs = TR("dumps of several tensor-parallel ranks with modules"),
        .broken = TR("tensor-parallel ranks call other modules"),
        .test_words = TR("forward calls of modules, name by name; experts, which are called where "
                         "tokens come, but for shared ones, and ranks with copies, which may run "
                         "further forwards, are left out"),
    },
    {
        .name = "gradients",
        .test = law_gradients,
        .stage = COMES_BACKWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("every trained weight that a forward call uses gets a gradient"),
        .needs = TR("weights with requires_grad, backward calls and gradients of weights in one "
                    "whole dump"),
        .broken = TR("no gradient reaches a trained weight"),
        .test_words = TR("broken where neither a gradient nor a backward call of its module came, "
                         "and the output of the module required one; where one comes in another "
                         "step, or the weight moves by more than decay, two optimizers or losses "
                         "may take turns: then the verdict is PARTIAL"),
    },
    {
        .name = "zero-gradients",
        .test = law_zero_gradients,
        .stage = COMES_BACKWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("no gradient is zero throughout"),
        .needs = TR("gradients of weights with Max and Min; of zeros two steps"),
        .broken = TR("a gradient is zero in every step"),
        .test_words =
            TR("broken where a gradient is all zeros in two steps or more, on every rank; "
               "experts are left out: they may get no token"),
    },
    {
        .name = "bias-gradients",
        .test = law_bias_gradients,
        .stage = COMES_BACKWARD,
        .shown = {SHOWN_NOT, SHOWN_ONE, SHOWN_ONE},
        .words = TR("the gradient of a bias sums up to what arrived at its module"),
        .needs = TR("one backward call of a Linear module and the gradient of its bias, with "
                    "Mean and Norm"),
        .broken = TR("the gradient of a bias is not what arrived"),
        .test_words = TR("Mean times the number of elements, of both, within rounding. Broken "
                         "where a weight moved since the dump before and the excess is the "
                         "gradient of that dump, or that of all biases times one factor below 1, "
                         "as clipping leaves it"),
    },
    {
        .name = "reduced-all",
        .test = law_reduced_all,
        .stage = COMES_REDUCTION,
        .shown = {SHOWN_RANKS, SHOWN_NOT, SHOWN_RANKS},
        .over = OVER_COPIES,
        .words = TR("where gradients are reduced, those of all weights are, as they arrived"),
        .needs = TR("reductions after the backward and gradients of weights, of several copies"),
        .broken = TR("a gradient is not reduced"),
        .test_words = TR("where most gradients that differ between copies go into a reduction with "
                         "Max and Min as they are: each that does not on a rank. Left out: weights "
                         "that differ, gradients of several calls, and all where larger tensors "
                         "are reduced or gathered"),
    },
    {
        .name = "reduced-gradients",
        .test = law_reduced_gradients,
        .stage = COMES_REDUCTION,
        .over = OVER_COPIES,
        .words = TR("reduced gradients are the mean, or the sum, of those of the copies, by one "
                    "factor for all"),
        .needs = TR("a monitor with gradients before and after their reduction, of all copies"),
        .broken = TR("a gradient is reduced by another factor than the others"),
        .test_words = TR("Mean of the reduced one against the sum of Means: where three quarters "
                         "agree to a hundredth, those that are off by a fifth; Means that cancel "
                         "show nothing"),
    },
    {
        .name = "gradient-copies",
        .test = law_gradient_copies,
        .stage = COMES_REDUCTION,
        .over = OVER_COPIES,
        .words = TR("reduced gradients are equal on ranks that hold copies of the weights"),
        .needs = TR("a monitor with reduced gradients of several ranks"),
        .broken = TR("reduced gradients differ between copies"),
        .test_words = TR("by their statistics; nothing is said where most differ, as with a "
                         "distributed optimizer"),
    },
    {
        .name = "repeated-gradients",
        .test = law_repeated_gradients,
        .stage = COMES_BACKWARD,
        .shown = {SHOWN_STEPS, SHOWN_STEPS, SHOWN_STEPS},
        .words = TR("no gradient repeats that of the step before"),
        .needs = TR("gradients of weights in two steps that follow each other"),
        .broken = TR("a gradient repeats that of the step before"),
        .test_words = TR("Norm, Max and Min to the last bit, or the checksum, where most other "
                         "gradients changed; gradients of one value throughout are left out: that "
                         "of a bias may be the number of samples"),
    },
    {
        .name = "clipping",
        .local = LOCAL_CLIPPING,
        .stage = COMES_REDUCTION,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("gradients are scaled by one factor, and clipping scales none up"),
        .needs = TR("in-place products with a number or a tensor of one number after the backward "
                    "(level L1 or mix)"),
        .broken = TR("gradients are scaled by other factors"),
        .test_words =
            TR("calls that follow each other after a backward call and before any further "
               "one: the factor of more than half. The Norm of each becomes that much "
               "smaller, and no tensor is above 1, unless a further call follows, where "
               "such products are activations. Of modules the gradient of each layer is "
               "scaled as that of most layers, where most gradients are as they arrived"),
    },
    {
        .name = "updates",
        .test = law_updates,
        .stage = COMES_WEIGHTS,
        .shown = {SHOWN_STEPS, SHOWN_STEPS, SHOWN_STEPS},
        .words = TR("weights that get a gradient change with the step"),
        .needs = TR("dumps of two steps that follow each other, with float32 weights and their "
                    "gradients, or checkpoints of two steps"),
        .broken = TR("a trained weight does not change"),
        .test_words = TR("broken where a weight keeps every bit while a quarter of the others "
                         "moved, with gradients no larger for their weights; or where no weight "
                         "moves for two steps while gradients of biases begin anew. PARTIAL "
                         "where micro batches cannot be excluded. Left out: float16, bfloat16, "
                         "steps that rounding hides"),
    },
    {
        .name = "frozen",
        .test = law_frozen,
        .stage = COMES_WEIGHTS,
        .shown = {SHOWN_STEPS, SHOWN_STEPS, SHOWN_STEPS},
        .words = TR("weights that are not trained do not change"),
        .needs = TR("dumps of two steps that follow each other, with float32 weights that need no "
                    "gradient"),
        .broken = TR("a frozen weight changed"),
        .test_words = TR("broken where one moves. A part of four weights or more that all move "
                         "is an average, as of a target network, if a trained part has the same "
                         "names and shapes in it. Nothing is said where half of the rest or more "
                         "move"),
    },
    {
        .name = "averages",
        .test = law_averages,
        .stage = COMES_WEIGHTS,
        .shown = {SHOWN_NOT, SHOWN_STEPS, SHOWN_STEPS},
        .words =
            TR("an average moves all of its weights by one share of the way to what it averages"),
        .needs =
            TR("dumps of two steps that follow each other, with a part of the model that is not "
               "trained and moves, and a trained part with its names and shapes"),
        .broken = TR("a weight is no average of what it was and what it follows"),
        .test_words =
            TR("by Mean, of what it was, of what it is and of the trained weight, where rounding "
               "leaves the share to 0.05 and more than half agree on it"),
    },
    {
        .name = "weight-steps",
        .test = law_weight_steps,
        .stage = COMES_WEIGHTS,
        .words = TR("a weight moves no further than the learning rate allows"),
        .needs = TR("weights of two steps or checkpoints, and the rate: --rate"),
        .broken = TR("a weight moved further than the rate allows"),
        .test_words = TR("Max and Min move by at most 3.17 times the rate a step, and a tenth of "
                         "the weight times the rate for decay: the bound of Adam with beta 0.9 "
                         "and 0.999. Running statistics of norms are left out"),
    },
    {
        .name = "constant-weights",
        .test = law_constant_weights,
        .stage = COMES_WEIGHTS,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("weight matrices have more than one value"),
        .needs = TR("weights of two dimensions or more with Max and Min; of constant ones three "
                    "steps, between which others move, or two checkpoints"),
        .broken = TR("a weight matrix has one value throughout"),
        .test_words = TR("broken where it has so in every step; weights that are declared as not "
                         "trained are left out"),
    },
    {
        .name = "optimizer-state",
        .test = law_optimizer_state,
        .stage = COMES_WEIGHTS,
        .words = TR("second moments are not below 0, first moments not all 0"),
        .needs = TR("checkpoints with the state of the optimizer"),
        .broken = TR("the state of the optimizer cannot be right"),
        .test_words = TR("every second moment; and whether any first moment is not 0 after step "
                         "0"),
    },
    {
        .name = "master-weights",
        .test = law_master_weights,
        .stage = COMES_WEIGHTS,
        .words = TR("master weights are float32 and round to the weights of the model"),
        .needs = TR("checkpoints with master weights next to the model"),
        .broken = TR("a master weight is not that of the model"),
        .test_words = TR("its dtype; a weight of its size has its Max and Min, rounded. Parts of "
                         "several weights are left out"),
    },
    {
        .name = "recompute",
        .local = LOCAL_RECOMPUTE,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("recomputed calls repeat what the first call gave"),
        .needs = TR("modules, or functions with a weight, that run again within the backward"),
        .broken = TR("a recomputed call does not repeat its first call"),
        .test_words = TR("a first call with the same inputs exists and its outputs agree within "
                         "1e-5 (float32) or 1e-2. Recomputed is what is_recompute says (msProbe "
                         "1.2.2 to 26.0); else a call between a backward and its own, where most "
                         "such calls repeat an earlier one"),
    },
    {
        .name = "finite",
        .test = law_finite,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("no NaN and no Inf but those of masks"),
        .needs = TR("tensors with Max and Min"),
        .broken = TR("values are not finite"),
        .test_words = TR("as vernier locate finds them; of a monitor its numbers, and its count "
                         "of NaN. Nothing is said where the scaler of a loss left the step out: "
                         "they come from the backward only, no weight moves after it, and a "
                         "later step is finite"),
    },
    {
        .name = "saturation",
        .local = LOCAL_SATURATION,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("no float16 result stands at its largest number"),
        .needs = TR("float16 tensors with Max"),
        .broken = TR("float16 results are clamped"),
        .test_words = TR("Max of an output is 65504 and no input has it; -65504 is usual in masks"),
    },
    {
        .name = "constant",
        .local = LOCAL_CONSTANT,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("products of varied inputs and weights vary"),
        .needs = TR("linear, conv and matmul calls (level L1 or mix) with statistics"),
        .broken = TR("a product has one value throughout"),
        .test_words =
            TR("inputs and weights with more than one value, 16 elements of output or more"),
    },
    {
        .name = "softmax",
        .local = LOCAL_SOFTMAX,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("rows of a softmax sum up to 1"),
        .needs = TR("softmax calls (level L1 or mix) with their dimension and statistics"),
        .broken = TR("a softmax is none"),
        .test_words = TR("Mean times the size of the dimension within 1e-3 of 1 (float16, "
                         "bfloat16: 5e-2), values from 0 to 1"),
    },
    {
        .name = "elementwise",
        .local = LOCAL_ELEMENTWISE,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("activations give at their ends what they are functions of"),
        .needs = TR("calls or modules of relu, tanh, sigmoid, exp, log, softplus, elu, silu or "
                    "gelu, with Max and Min of inputs and outputs"),
        .broken = TR("an activation is not that function of its input"),
        .test_words = TR("Max of the output is the function of Max of the input, and Min that of "
                         "Min; of silu and gelu only a Max above 0. Within 4e-6 (float32), "
                         "1.2e-3 (float16), 1e-2 (bfloat16) and one rounding step of 1. In-place "
                         "calls and rounded numbers are left out"),
    },
    {
        .name = "slope",
        .local = LOCAL_SLOPE,
        .stage = COMES_BACKWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words =
            TR("the gradient of an activation is at most its largest slope times what arrived"),
        .needs = TR("backward calls of relu, tanh, sigmoid, softplus, elu, silu, gelu, l1_loss or "
                    "smooth_l1_loss, with Max and Min"),
        .broken = TR("the gradient of an activation is too large"),
        .test_words = TR("slopes: 0 to 1 (relu, tanh, softplus, elu with its forward call), to "
                         "0.25 (sigmoid), -0.1 to 1.1 (silu), -0.13 to 1.13 (gelu), 1 / elements "
                         "(a mean of distances). Max and Min within the tolerances of "
                         "elementwise, Norm of float32 within 1e-3"),
    },
    {
        .name = "rounded",
        .local = LOCAL_ROUNDED,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("float32 results of float32 inputs hold more than 16-bit numbers"),
        .needs = TR("calls or modules of linear, conv, matmul or activations, forward or "
                    "backward, with Max and Min of float32 tensors"),
        .broken = TR("a float32 result was computed in 16 bits"),
        .test_words = TR("broken where Max and Min of a result both end with 13 bits of 0, as "
                         "16-bit numbers do, and no input of the call or of its forward call "
                         "does. Left out: 0 and 1, Max = ±Min, gradients of biases, rounded "
                         "numbers. By chance once in 2^26"),
    },
    {
        .name = "gradient-sums",
        .local = LOCAL_SUMS,
        .stage = COMES_BACKWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("gradients after a softmax sum up to 0, those of an embedding and of a bias "
                    "to what arrived"),
        .needs = TR("backward calls of softmax, log_softmax, embedding, linear or "
                    "conv (level L1 or mix), with Mean and Norm"),
        .broken = TR("a gradient does not sum up to what it must"),
        .test_words = TR("Mean times elements, within rounding: 8 steps of float32 and one of 16 "
                         "bits, of the sum of magnitudes at most. An embedding with padding or "
                         "scaling by frequency is left out"),
    },
    {
        .name = "layer-positions",
        .local = LOCAL_LAYERS,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("all layers rotate by the same positions"),
        .needs = TR("products of positions, which count up by one, with frequencies (level L1 or "
                    "mix), in a dump that trains"),
        .broken = TR("a layer has other positions than the layers before"),
        .test_words = TR("inputs of mul, outer or matmul that are known by Max, Min, Mean, Norm "
                         "and their number to count up, with equal frequencies: four or more, "
                         "which change once or twice. Those that take turns are left out"),
    },
    {
        .name = "causal-rows",
        .local = LOCAL_CAUSAL,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("all layers mask what comes later"),
        .needs = TR("calls of softmax over square scores (level L1 or mix), of which three or more "
                    "have masked scores and a probability of 1"),
        .broken = TR("a layer sees what comes later"),
        .test_words = TR("the first row of a causal softmax has one number, so that the largest is "
                         "1: one layer in four or fewer in which it is less. Kinds of layers that "
                         "take turns are left out"),
    },
    {
        .name = "layer-dtypes",
        .local = LOCAL_LAYER_DTYPES,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_ONE, SHOWN_NOT, SHOWN_ONE},
        .words = TR("the same call has one dtype in all layers"),
        .needs =
            TR("four calls or more of one function with the same three calls before and behind "
               "them and one shape (level L1 or mix)"),
        .broken = TR("a layer computes in another dtype"),
        .test_words =
            TR("the first output, casts aside: one call in four or fewer of another dtype, "
               "with others before and behind it. The first and the last layers may be "
               "kept in another dtype"),
    },
    {
        .name = "micro-batches",
        .local = LOCAL_MICRO,
        .stage = COMES_BACKWARD,
        .shown = {SHOWN_ONE, SHOWN_ONE, SHOWN_ONE},
        .words = TR("micro batches of one step weigh the same"),
        .needs = TR("three backward calls or more of a loss, each before its next forward call"),
        .broken = TR("a micro batch has another weight"),
        .test_words =
            TR("the gradient that arrives at losses of one shape: one alone differs. Batches "
               "that are weighed by their tokens have weights of their own and are left "
               "out"),
    },
    {
        .name = "dtypes",
        .test = law_dtypes,
        .stage = COMES_FORWARD,
        .shown = {SHOWN_TWO, SHOWN_TWO, SHOWN_TWO},
        .words = TR("norms, softmax and losses have one dtype on all ranks and in all steps"),
        .needs = TR("two dumps of ranks that do the same work, or of one rank in two steps"),
        .broken = TR("a norm, softmax or loss changes its dtype"),
        .test_words = TR("the first output, call by call of one name"),
    },
    {
        .name = "expect-frozen",
        .test = law_expect_frozen,
        .stage = COMES_WEIGHTS,
        .of_expects = true,
        .words = TR("weights that were meant to be frozen are"),
        .needs = TR("what is meant, --expect frozen=PATTERN, and weights with requires_grad or "
                    "of two dumps"),
        .broken = TR("a weight that was meant to be frozen is trained"),
        .test_words = TR("broken where one requires a gradient, gets one that is not 0, or is not "
                         "the same to the last bit in the next dump of its rank"),
    },
    {
        .name = "expect-trained",
        .test = law_expect_trained,
        .stage = COMES_WEIGHTS,
        .of_expects = true,
        .words = TR("weights that were meant to be trained move"),
        .needs = TR("what is meant, --expect trained=PATTERN, and weights of two dumps, or with "
                    "requires_grad"),
        .broken = TR("a weight that was meant to be trained is not"),
        .test_words = TR("broken where one requires no gradient; where it stays as it is in all "
                         "dumps while others move (as in updates, without gradients in two "
                         "steps, or between checkpoints); or where none moves for two steps "
                         "though there are gradients. One that moves once holds"),
    },
    {
        .name = "expect-init",
        .test = law_expect_init,
        .stage = COMES_WEIGHTS,
        .of_expects = true,
        .words = TR("weights begin with the spread that was meant"),
        .needs = TR("what is meant, --expect init=PATTERN=STD[,MEAN], and weights of the first "
                    "step with Mean and Norm"),
        .broken = TR("a weight was set up with another spread"),
        .test_words = TR("of the earliest step that is given: standard deviation and mean of the "
                         "elements within 5 times what chance allows for their number n (STD / "
                         "sqrt(2 (n - 1)) and STD / sqrt(n)), and 1/256 for the rounding of "
                         "bfloat16"),
    },
    {
        .name = "expect-compute",
        .test = law_expect_compute,
        .stage = COMES_FORWARD,
        .of_expects = true,
        .words = TR("products and attention run in the dtype that was meant"),
        .needs = TR("what is meant, --expect compute=[PATTERN=]DTYPE, and calls of linear, conv, "
                    "matmul or attention, or their modules"),
        .broken = TR("a product runs in another dtype than was meant"),
        .test_words = TR("the first output with a float dtype of the forward calls; with a pattern "
                         "of those that it names, products or not"),
    },
    {
        .name = "expect-batch",
        .test = law_expect_batch,
        .stage = COMES_FORWARD,
        .of_expects = true,
        .words = TR("inputs have the number of samples that was meant"),
        .needs = TR("what is meant, --expect batch=[PATTERN=]N, and modules that take tokens"),
        .broken = TR("an input has another number of samples than was meant"),
        .test_words = TR("the first size of the integers, of two dimensions or more, that go first "
                         "into embeddings and losses, positions aside; with a pattern of what goes "
                         "first into the calls that it names"),
    },
    {
        .name = "expect-length",
        .test = law_expect_length,
        .stage = COMES_FORWARD,
        .of_expects = true,
        .words = TR("sequences are no longer than was meant"),
        .needs = TR("what is meant, --expect length=[PATTERN=]N, and modules that take tokens"),
        .broken = TR("a sequence is longer than was meant"),
        .test_words = TR("the last size of what expect-batch looks at"),
    },
    {
        .name = "expect-generated",
        .test = law_expect_generated,
        .stage = COMES_FORWARD,
        .of_expects = true,
        .words = TR("no more tokens are generated than was meant"),
        .needs = TR("what is meant, --expect generated=[PATTERN=]N, and dumps without a backward "
                    "in which each call gets all tokens so far"),
        .broken = TR("more tokens are generated than was meant"),
        .test_words = TR("calls that follow each other and of which each gets one token more than "
                         "the one before; with a cache of keys and values they do not"),
    },
};
const size_t law_count = sizeof laws / sizeof *laws;
