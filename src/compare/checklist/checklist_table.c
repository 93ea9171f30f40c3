// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"
#include "compare/checklist/checklist.h"

// The checklist of the accuracy guide with the spellings of MindFormers, of Megatron and MindSpeed,
// and of Hugging Face. Sorted as in the guide.

// clang-format off
const CheckRow check_rows[] = {
    {
        .group = TR("network"), .key = "num_layers", .rule = CHECK_SAME,
        .spellings = "num_layers num_hidden_layers n_layer",
        .text = TR("2 layers are enough for the first alignment"),
    },
    {
        .group = TR("network"), .key = "num_heads", .rule = CHECK_SAME,
        .spellings = "num_attention_heads num_heads n_head",
    },
    {
        .group = TR("network"), .key = "kv_heads", .rule = CHECK_SAME,
        .spellings = "num_query_groups num_key_value_heads n_kv_heads",
        .text = TR("multi-head, grouped and multi-query attention differ here"),
    },
    {
        .group = TR("network"), .key = "hidden_size", .rule = CHECK_SAME,
        .spellings = "hidden_size n_embd",
    },
    {
        .group = TR("network"), .key = "ffn_hidden_size", .rule = CHECK_SAME,
        .spellings = "ffn_hidden_size intermediate_size",
        .text = TR("older MindFormers computes it from multiple_of and ffn_dim_multiplier"),
    },
    {
        .group = TR("network"), .key = "seq_length", .rule = CHECK_SAME,
        .spellings = "seq_length seq_len cutoff_len max_seq_length max_position_embeddings",
    },
    {
        .group = TR("network"), .key = "qkv_concat", .rule = CHECK_INFO,
        .spellings = "qkv_concat",
        .value = VALUE_SWITCH,
        .text = TR("fused or separate query, key and value"),
    },
    {
        .group = TR("network"), .key = "attention_window", .rule = CHECK_SAME,
        .spellings = "sliding_window window_size use_attn_mask_compression",
        .text = TR("causal or windowed attention mask"),
    },
    {
        .group = TR("network"), .key = "normalization", .rule = CHECK_SAME,
        .spellings = "normalization layernorm_type norm_type",
        .value = VALUE_NORM,
        .text = TR("LayerNorm or RMSNorm"),
    },
    {
        .group = TR("network"), .key = "norm_eps", .rule = CHECK_SAME,
        .spellings = "rms_norm_eps norm_epsilon layernorm_epsilon layer_norm_epsilon "
                     "layer_norm_eps norm_eps normal_eps",
    },
    {
        .group = TR("network"), .key = "attention_dropout", .rule = CHECK_SAME,
        .spellings = "attention_dropout attention_dropout_rate attn_pdrop",
        .advice = ADVICE_EQUAL, .bound = "0",
        .text = TR("dropout is off on both sides while aligning; with MindSpore it excludes "
                   "recomputation"),
    },
    {
        .group = TR("network"), .key = "hidden_dropout", .rule = CHECK_SAME,
        .spellings = "hidden_dropout hidden_dropout_rate emb_dropout_prob resid_pdrop dropout",
        .advice = ADVICE_EQUAL, .bound = "0",
        .text = TR("dropout is off on both sides while aligning; with MindSpore it excludes "
                   "recomputation"),
    },
    {
        .group = TR("network"), .key = "activation", .rule = CHECK_SAME,
        .spellings = "swiglu=swiglu squared_relu=relu2 openai_gelu=gelu_tanh "
                     "quick_geglu=quick_geglu geglu=geglu gelu_tanh=gelu_tanh hidden_act "
                     "activation_function activation_func",
        .value = VALUE_ACTIVATION, .unsaid = "gelu",
        .text = TR("silu with a gate is swiglu; tanh and exact GELU differ"),
    },
    {
        .group = TR("network"), .key = "position_embedding", .rule = CHECK_SAME,
        .spellings = "position_embedding_type pe_type use_alibi=alibi",
        .value = VALUE_POSITION,
        .text = TR("absolute, rotary or alibi; interleaved or half layout"),
    },
    {
        .group = TR("network"), .key = "rotary_base", .rule = CHECK_SAME,
        .spellings = "rotary_base rope_theta theta",
    },
    {
        .group = TR("network"), .key = "fusions", .rule = CHECK_INFO,
        .spellings = "use_flash_attention use_flash_attn attn_implementation use_rope_fusion "
                     "use_fused_rotary_pos_emb use_fused_rmsnorm use_fused_swiglu",
        .text = TR("on the same hardware use the same; on different hardware check each fused "
                   "part"),
    },
    {
        .group = TR("network"), .key = "qkv_bias", .rule = CHECK_SAME,
        .spellings = "add_qkv_bias qkv_has_bias attention_bias",
        .value = VALUE_SWITCH, .unsaid = "false",
    },
    {
        .group = TR("network"), .key = "linear_bias", .rule = CHECK_SAME,
        .spellings = "!disable_bias_linear add_bias_linear",
        .value = VALUE_SWITCH, .unsaid = "true",
    },
    {
        .group = TR("network"), .key = "tie_embeddings", .rule = CHECK_SAME,
        .spellings = "!untie_embeddings_and_output_weights tie_word_embeddings",
        .value = VALUE_SWITCH, .unsaid = "true",
    },
    {
        .group = TR("network"), .key = "vocab_size", .rule = CHECK_SAME,
        .spellings = "padded_vocab_size vocab_size",
        .advice = ADVICE_MULTIPLE, .bound = "16",
        .text = TR("a size that is odd or no multiple of 16 may change the matrix products; pad "
                   "the weights"),
    },
    {
        .group = TR("moe"), .key = "num_experts", .rule = CHECK_SAME,
        .spellings = "num_experts expert_num num_local_experts n_routed_experts",
        .unsaid = "none",
    },
    {
        .group = TR("moe"), .key = "shared_experts", .rule = CHECK_SAME,
        .spellings = "n_shared_experts shared_expert_num",
    },
    {
        .group = TR("moe"), .key = "router_topk", .rule = CHECK_SAME,
        .spellings = "moe_router_topk num_experts_chosen num_experts_per_tok",
    },
    {
        .group = TR("moe"), .key = "capacity_factor", .rule = CHECK_SAME,
        .spellings = "moe_expert_capacity_factor capacity_factor",
        .advice = ADVICE_CAPACITY,
        .text = TR("below 0 is dynamic and drops no token; else between 1 and experts / top k"),
    },
    {
        .group = TR("moe"), .key = "aux_loss", .rule = CHECK_SAME,
        .spellings = "moe_aux_loss_coeff aux_loss_factor aux_loss_factors router_aux_loss_coef",
        .advice = ADVICE_BELOW, .bound = "0.05",
        .text = TR("large factors hurt; off while aligning, printed losses are not comparable "
                   "with it"),
    },
    {
        .group = TR("moe"), .key = "router", .rule = CHECK_INFO,
        .spellings = "moe_router_load_balancing_type routing_policy",
        .text = TR("MindFormers: TopkRouterV2 is equivalent to V1 and stays"),
    },
    {
        .group = TR("moe"), .key = "sdrop", .rule = CHECK_INFO,
        .spellings = "enable_sdrop",
        .value = VALUE_SWITCH, .advice = ADVICE_ON,
        .text = TR("the counterpart of token drop by position with padding to the capacity"),
    },
    {
        .group = TR("moe"), .key = "router_dtype", .rule = CHECK_SAME,
        .spellings = "moe_router_dtype router_dense_type",
        .value = VALUE_DTYPE, .advice = ADVICE_EQUAL, .bound = "float32",
        .text = TR("a router in half precision overflows"),
    },
    {
        .group = TR("moe"), .key = "fused_router", .rule = CHECK_INFO,
        .spellings = "use_fused_ops_topkrouter moe_router_fusion",
        .value = VALUE_SWITCH,
        .text = TR("on together with sdrop"),
    },
    {
        .group = TR("moe"), .key = "shared_gate", .rule = CHECK_SAME,
        .spellings = "use_shared_expert_gating use_shared_expert_gate",
        .value = VALUE_SWITCH,
    },
    {
        .group = TR("optimizer"), .key = "optimizer", .rule = CHECK_SAME,
        .spellings = "optimizer.type optimizer optim",
        .value = VALUE_OPTIMIZER,
        .text = TR("adam of Megatron decays weights as AdamW does"),
    },
    {
        .group = TR("optimizer"), .key = "eps", .rule = CHECK_SAME,
        .spellings = "adam_eps adam_epsilon optimizer.eps optimizer.params.eps eps",
        .advice = ADVICE_EQUAL, .bound = "1e-8",
        .text = TR("it bounds the step where gradients are small; the defaults of the frameworks "
                   "differ"),
    },
    {
        .group = TR("optimizer"), .key = "beta1", .rule = CHECK_SAME,
        .spellings = "adam_beta1 optimizer.betas[0] optimizer.params.betas[0] betas[0] beta1",
        .advice = ADVICE_EQUAL, .bound = "0.9",
        .text = TR("the share of the last step that the next one keeps; another one is another "
                   "curve from step 2 on"),
    },
    {
        .group = TR("optimizer"), .key = "beta2", .rule = CHECK_SAME,
        .spellings = "adam_beta2 optimizer.betas[1] optimizer.params.betas[1] betas[1] beta2",
        .text = TR("0.95 is advised; the default of most frameworks is 0.999"),
    },
    {
        .group = TR("optimizer"), .key = "weight_decay", .rule = CHECK_SAME,
        .spellings = "weight_decay",
        .text = TR("also compare which weights decay: biases and one-dimensional ones are exempt "
                   "in MindFormers"),
    },
    {
        .group = TR("optimizer"), .key = "lr", .rule = CHECK_SAME,
        .spellings = "lr_schedule.learning_rate learning_rate lr optimizer.params.lr",
        .text = TR("also compare the curve that the logs print"),
    },
    {
        .group = TR("optimizer"), .key = "min_lr", .rule = CHECK_SAME,
        .spellings = "min_lr lr_end",
    },
    {
        .group = TR("optimizer"), .key = "lr_schedule", .rule = CHECK_SAME,
        .spellings = "lr_decay_style lr_schedule.type lr_scheduler_type scheduler.type "
                     "learning_rate_type",
        .value = VALUE_SCHEDULE,
    },
    {
        .group = TR("optimizer"), .key = "warmup_ratio", .rule = CHECK_SAME,
        .spellings = "lr_warmup_fraction warmup_ratio",
        .text = TR("no warm-up and a constant rate for the first alignment"),
    },
    {
        .group = TR("optimizer"), .key = "warmup_steps", .rule = CHECK_SAME,
        .spellings = "lr_warmup_iters warmup_steps warmup_num_steps",
        .text = TR("no warm-up and a constant rate for the first alignment"),
    },
    {
        .group = TR("optimizer"), .key = "clip_grad", .rule = CHECK_SAME,
        .spellings = "clip_grad max_grad_norm gradient_clipping gradient_clip_val grad_clip "
                     "max_norm",
        .advice = ADVICE_EQUAL, .bound = "1.0",
        .text = TR("the reported gradient norm is taken before clipping; the step depends on the "
                   "limit"),
    },
    {
        .group = TR("optimizer"), .key = "global_batch_size", .rule = CHECK_SAME,
        .spellings = "global_batch_size train_batch_size",
        .text = TR("also check it against the batch that the log prints"),
    },
    {
        .group = TR("optimizer"), .key = "epochs", .rule = CHECK_SAME,
        .spellings = "num_train_epochs num_epochs total_epochs max_epochs epochs",
        .text = TR("the schedule of the rate follows from the length of the run"),
    },
    {
        .group = TR("optimizer"), .key = "use_clip_grad", .rule = CHECK_SAME,
        .spellings = "use_clip_grad",
        .value = VALUE_SWITCH,
        .text = TR("without it the limit has no effect"),
    },
    {
        .group = TR("weights"), .key = "param_dtype", .rule = CHECK_SAME,
        .spellings = "params_dtype param_init_type pure_bf16=bf16",
        .value = VALUE_DTYPE, .advice = ADVICE_EQUAL, .bound = "float32",
        .text = TR("weights in fp32 keep small updates; one framework also communicates gradients "
                   "in their type, the other in fp32"),
    },
    {
        .group = TR("weights"), .key = "init_std", .rule = CHECK_SAME,
        .spellings = "init_method_std initializer_range",
        .text = TR("matters only where no weights are loaded"),
    },
    {
        .group = TR("weights"), .key = "loaded", .rule = CHECK_INFO,
        .spellings = "load_checkpoint load resume_from_checkpoint",
        .text = TR("both sides start from the same weights"),
    },
    {
        .group = TR("weights"), .key = "finetuning_type", .rule = CHECK_SAME,
        .spellings = "finetuning_type train_type sft_type peft_type",
        .text = TR("which weights are trained"),
    },
    {
        .group = TR("weights"), .key = "lora_rank", .rule = CHECK_SAME,
        .spellings = "lora_rank lora_r",
        .text = TR("the products of an adapter have this width"),
    },
    {
        .group = TR("weights"), .key = "lora_alpha", .rule = CHECK_SAME,
        .spellings = "lora_alpha",
        .text = TR("an adapter is scaled by it"),
    },
    {
        .group = TR("precision"), .key = "compute_dtype", .rule = CHECK_SAME,
        .spellings = "compute_dtype bf16=bf16 fp16=fp16 pure_bf16=bf16 bf16.enabled=bf16 "
                     "fp16.enabled=fp16 torch_dtype",
        .value = VALUE_DTYPE, .off = "fp32", .unsaid = "fp32",
    },
    {
        .group = TR("precision"), .key = "loss_scale", .rule = CHECK_INFO,
        .spellings = "loss_scale_value initial_loss_scale loss_scale",
        .text = TR("gradients are scaled by it and back: no effect but on overflow"),
    },
    {
        .group = TR("precision"), .key = "fp8", .rule = CHECK_SAME,
        .spellings = "fp8_format fp8",
        .unsaid = "none",
        .text = TR("e4m3 and e5m2 differ in range and in digits; hybrid has e5m2 for gradients"),
    },
    {
        .group = TR("precision"), .key = "norm_dtype", .rule = CHECK_HAND,
        .spellings = "layernorm_compute_dtype layernorm_compute_type",
        .value = VALUE_DTYPE,
        .text = TR("in which type is the norm computed? compare the implementations"),
    },
    {
        .group = TR("precision"), .key = "softmax_dtype", .rule = CHECK_HAND,
        .spellings = "softmax_compute_dtype softmax_compute_type attention_softmax_in_fp32=float32",
        .value = VALUE_DTYPE,
        .text = TR("in which type is the softmax computed? it is fixed inside of flash attention"),
    },
    {
        .group = TR("precision"), .key = "rotary_dtype", .rule = CHECK_HAND,
        .spellings = "rotary_dtype",
        .value = VALUE_DTYPE,
        .text = TR("in which type are the rotary angles computed?"),
    },
    {
        .group = TR("precision"), .key = "weight_calc", .rule = CHECK_HAND,
        .spellings = "",
        .text = TR("weights are fp32: are they cast before use, in the embedding and the head as "
                   "well?"),
    },
    {
        .group = TR("precision"), .key = "residual_dtype", .rule = CHECK_HAND,
        .spellings = "residual_dtype fp32_residual_connection=float32",
        .value = VALUE_DTYPE,
        .text = TR("in which type are biases and residuals added and the loss computed?"),
    },
    {
        .group = TR("parallel"), .key = "data_parallel", .rule = CHECK_INFO,
        .spellings = "data_parallel",
        .text = TR("changes the order of reductions: small differences are normal"),
    },
    {
        .group = TR("parallel"), .key = "tensor_parallel", .rule = CHECK_INFO,
        .spellings = "tensor_model_parallel_size model_parallel",
        .text = TR("no effect is expected; off first, then one after the other"),
    },
    {
        .group = TR("parallel"), .key = "pipeline_parallel", .rule = CHECK_INFO,
        .spellings = "pipeline_model_parallel_size pipeline_stage",
        .text = TR("no effect is expected; off first, then one after the other"),
    },
    {
        .group = TR("parallel"), .key = "sequence_parallel", .rule = CHECK_INFO,
        .spellings = "sequence_parallel use_seq_parallel",
        .value = VALUE_SWITCH,
        .text = TR("only together with tensor parallelism; no effect is expected"),
    },
    {
        .group = TR("parallel"), .key = "parallel_optimizer", .rule = CHECK_INFO,
        .spellings = "use_distributed_optimizer enable_parallel_optimizer zero_optimization.stage",
        .value = VALUE_SWITCH, .advice = ADVICE_OFF,
        .text = TR("the designs differ: off while aligning"),
    },
    {
        .group = TR("parallel"), .key = "micro_batch_interleave", .rule = CHECK_INFO,
        .spellings = "micro_batch_interleave_num",
        .advice = ADVICE_EQUAL, .bound = "1",
        .text = TR("off while aligning; check it again after the work on performance"),
    },
    {
        .group = TR("parallel"), .key = "dataset_strategy", .rule = CHECK_INFO,
        .spellings = "dataset_strategy full_batch",
        .text = TR("how the batch is spread over the devices"),
    },
    {
        .group = TR("other"), .key = "seed", .rule = CHECK_SAME,
        .spellings = "seed",
        .text = TR("weights, dropout and the order of the data follow from it"),
    },
    {
        .group = TR("other"), .key = "data", .rule = CHECK_HAND,
        .spellings = "",
        .text = TR("decode a few samples: labels at the right place, the same samples at each "
                   "step"),
    },
    {
        .group = TR("other"), .key = "bos_token_id", .rule = CHECK_SAME,
        .spellings = "bos_token_id",
        .text = TR("equal to those used when the data was made"),
    },
    {
        .group = TR("other"), .key = "eos_token_id", .rule = CHECK_SAME,
        .spellings = "eos_token_id",
        .text = TR("equal to those used when the data was made"),
    },
    {
        .group = TR("other"), .key = "pad_token_id", .rule = CHECK_SAME,
        .spellings = "pad_token_id",
        .text = TR("equal to those used when the data was made"),
    },
    {
        .group = TR("other"), .key = "input_ids", .rule = CHECK_HAND,
        .spellings = "",
        .text = TR("is every token id at least 0 and below the vocabulary size?"),
    },
    {
        .group = TR("other"), .key = "overflow_mode", .rule = CHECK_SAME,
        .spellings = "$MS_ASCEND_CHECK_OVERFLOW_MODE",
        .advice = ADVICE_EQUAL, .bound = "INFNAN_MODE",
        .text = TR("overflows must stay visible as infinities"),
    },
    {
        .group = TR("other"), .key = "inf_nan_mode", .rule = CHECK_INFO,
        .spellings = "$INF_NAN_MODE_ENABLE",
        .value = VALUE_SWITCH, .advice = ADVICE_ON,
        .text = TR("overflows must stay visible as infinities"),
    },
    {
        .group = TR("other"), .key = "graph_kernel", .rule = CHECK_INFO,
        .spellings = "enable_graph_kernel",
        .value = VALUE_SWITCH, .advice = ADVICE_OFF,
        .text = TR("off while aligning"),
    },
    {
        .group = TR("other"), .key = "deterministic", .rule = CHECK_INFO,
        .spellings = "deterministic_mode use_deterministic_algorithms full_determinism "
                     "deterministic is_deterministic",
        .value = VALUE_SWITCH, .advice = ADVICE_ON,
        .text = TR("on while comparing; off where the noise of repeated runs is measured"),
    },
    {
        .group = TR("other"), .key = "hccl_deterministic", .rule = CHECK_SAME,
        .spellings = "$HCCL_DETERMINISTIC",
        .value = VALUE_SWITCH, .advice = ADVICE_ON,
        .text = TR("else reductions between devices add in another order in each run"),
    },
    {
        .group = TR("other"), .key = "launch_blocking", .rule = CHECK_INFO,
        .spellings = "$ASCEND_LAUNCH_BLOCKING $CUDA_LAUNCH_BLOCKING",
        .value = VALUE_SWITCH,
        .text = TR("kernels one after the other: slower, and no race between streams"),
    },
    {
        .group = TR("other"), .key = "op_precision", .rule = CHECK_SAME,
        .spellings = "ge.opselectimplmode opselectimplmode op_select_implmode",
        .advice = ADVICE_EQUAL, .bound = "high_precision",
        .text = TR("some kernels have a faster form that computes with fewer digits"),
    },
    {
        .group = TR("other"), .key = "template", .rule = CHECK_HAND,
        .spellings = "",
        .text = TR("is the chat template the same in fine-tuning and inference?"),
    },
    {
        .group = TR("other"), .key = "upstream", .rule = CHECK_HAND,
        .spellings = "",
        .text = TR("what differs from the published code of the model?"),
    },
    {
        .group = TR("other"), .key = "recompute", .rule = CHECK_INFO,
        .spellings = "recompute_granularity recompute gradient_checkpointing",
        .text = TR("not together with dropout"),
    },
    {
        .group = TR("other"), .key = "norm_monitor", .rule = CHECK_INFO,
        .spellings = "local_norm monitor_on",
        .value = VALUE_SWITCH,
        .text = TR("prints norms, computes nothing else"),
    },
    {
        .group = TR("other"), .key = "data_skip", .rule = CHECK_INFO,
        .spellings = "use_skip_data_by_global_norm",
        .value = VALUE_SWITCH, .advice = ADVICE_OFF,
        .text = TR("makes the runs take different data"),
    },
    {
        .group = TR("reinforcement"), .key = "advantage", .rule = CHECK_SAME,
        .spellings = "adv_estimator",
        .text = TR("how rewards become the weights of tokens"),
    },
    {
        .group = TR("reinforcement"), .key = "kl_loss", .rule = CHECK_SAME,
        .spellings = "kl_loss_coef kl_coef",
        .text = TR("how much the policy is held to the reference"),
    },
    {
        .group = TR("reinforcement"), .key = "clip_ratio", .rule = CHECK_SAME,
        .spellings = "clip_ratio",
        .text = TR("how far a step may move the policy"),
    },
    {
        .group = TR("reinforcement"), .key = "entropy", .rule = CHECK_SAME,
        .spellings = "calculate_entropy entropy_coeff",
        .text = TR("a term of the loss, or one more pass over the logits"),
    },
    {
        .group = TR("reinforcement"), .key = "temperature", .rule = CHECK_SAME,
        .spellings = "rollout.temperature temperature",
        .text = TR("the tokens that are drawn, and their log-probabilities"),
    },
    {
        .group = TR("reinforcement"), .key = "samples", .rule = CHECK_SAME,
        .spellings = "rollout.n",
        .text = TR("how many answers a prompt has"),
    },
    {
        .group = TR("reinforcement"), .key = "prompt_length", .rule = CHECK_SAME,
        .spellings = "max_prompt_length",
        .text = TR("longer prompts are cut or left out"),
    },
    {
        .group = TR("reinforcement"), .key = "response_length", .rule = CHECK_SAME,
        .spellings = "max_response_length",
        .text = TR("longer answers are cut"),
    },
    {
        .group = TR("reinforcement"), .key = "eager", .rule = CHECK_INFO,
        .spellings = "enforce_eager",
        .text = TR("the engine runs kernel by kernel, or a captured graph with kernels of its own"),
    },
    {
        .group = TR("dump"), .key = "dump_list", .rule = CHECK_SAME,
        .spellings = "statistics.list tensor.list",
        .text = TR("only these APIs are in the dump"),
    },
    {
        .group = TR("dump"), .key = "dump_scope", .rule = CHECK_SAME,
        .spellings = "statistics.scope tensor.scope",
        .text = TR("only what lies between these is in the dump"),
    },
    {
        .group = TR("dump"), .key = "data_mode", .rule = CHECK_SAME,
        .spellings = "data_mode",
        .text = TR("which of inputs and outputs, forward and backward are in the dump"),
    },
    {
        .group = TR("dump"), .key = "summary_mode", .rule = CHECK_SAME,
        .spellings = "summary_mode",
        .text = TR("statistics or checksums"),
    },
    {
        .group = TR("dump"), .key = "iteration", .rule = CHECK_SAME,
        .spellings = "common_dump_settings.iteration",
        .text = TR("other iterations have no partner"),
    },
    {
        .group = TR("dump"), .key = "saved_data", .rule = CHECK_SAME,
        .spellings = "saved_data",
        .text = TR("statistics or tensors"),
    },
    {
        .group = TR("dump"), .key = "dump_mode", .rule = CHECK_SAME,
        .spellings = "common_dump_settings.dump_mode",
        .text = TR("0 all kernels, 1 those that are named, 2 those that a script chose"),
    },
    {
        .group = TR("dump"), .key = "kernels", .rule = CHECK_SAME,
        .spellings = "common_dump_settings.kernels",
        .text = TR("the kernels that are in the dump"),
    },
    {
        .group = TR("dump"), .key = "statistic_category", .rule = CHECK_SAME,
        .spellings = "statistic_category",
        .text = TR("which statistics each tensor has"),
    },
    {
        .group = TR("dump"), .key = "input_output", .rule = CHECK_SAME,
        .spellings = "common_dump_settings.input_output",
        .text = TR("0 inputs and outputs, 1 inputs, 2 outputs"),
    },
};
// clang-format on
const size_t check_row_count = sizeof check_rows / sizeof *check_rows;
