// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_SERIES_NAME_H
#define VERNIER_READ_LOG_SERIES_NAME_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

// The names of series: what trainers print under many spellings is one series here. Letter case and
// '_', '-', ' ' make no difference, and a leading "train/" is dropped.

typedef struct SeriesName {
    Str canonical;  // "loss", "grad_norm", "lr", "loss.aux_loss", … or the name as printed
    double factor;  // what the printed value is multiplied by: 1000 for seconds in step_time_ms
    bool core;      // a record that lacks it is worth telling: losses, norms, rate, loss scale
} SeriesName;

// `total` says that lm_loss is the loss itself: no plain loss is in the same record.
// Names that are no series (a step, a percentage) give an empty canonical name.
SeriesName series_name(Str printed, bool total, Arena *arena);

// The name of a file without its endings where that is a loss, norm, rate or evaluation
// ("gpu_loss.json"), else empty.
Str series_stem(const char *path);

// "path/key", or the key alone without a path. Of the path the first 1,024 bytes: each of many
// members holds it once more.
Str series_name_below(Str path, Str key, Arena *arena);

// Whose values a column or a run holds: NAME_GOLDEN by words such as "gpu", "bench", "torch",
// NAME_TARGET by "npu", "ours", "mindspore"; NAME_NEITHER where no word says so, or both do.
typedef enum NameSide { NAME_NEITHER, NAME_GOLDEN, NAME_TARGET } NameSide;
NameSide series_name_side(Str name);

// "GPU loss", "loss_npu", "Torch val loss": splits the words of one side from a measure.
bool series_name_split_side(Str printed, Str *side, Str *measure);

// True for what lies between two columns: "relative error", "abs_diff".
bool series_name_is_difference(Str printed);

// True for a spelling of the plain total loss, lm_loss excepted.
bool series_name_is_loss(Str printed);

// True for the sum that other losses of the record are parts of: "total_loss".
bool series_name_is_total(Str printed);

// True for a spelling of the loss, the gradient norm or the rate.
bool series_name_is_core(Str printed);

// True for a name of two words that is known as one: "learning rate", "val loss", "global step".
bool series_name_is_joined(Str printed);

// True for a spelling of the loss of an evaluation.
bool series_name_is_evaluation(Str printed);

// True for what an evaluation gives beside a loss: "val_acc", "eval/perplexity", "test mIoU".
bool series_name_is_metric(Str printed);

// True for what training tells of its success beside a loss: "critic/score/mean", "ep_rew_mean",
// "episode_return", "train_acc", "actor/entropy"; false for its spread and ends (std, max, min).
bool series_name_is_success(Str printed);

// True for those of them that are rewards: "ep_rew_mean", "episode_return", "AverageEpRet", "rm".
bool series_name_is_reward(Str printed);

// True for an error of an evaluation that is none in nats: "eval-rmse", "validation_0-mae".
bool series_name_is_eval_error(Str printed);

// True for a loss of any kind, which may are next to the judged one: "loss.mtp_loss", "eval_loss",
// "xent_objf".
bool series_name_is_second_loss(Str printed);

// True for what makes a line a record of training: the core ones, and losses of other names.
bool series_name_is_measure(Str printed);
// "nll", "train_ce", "mse", "objective": the loss where nothing is called one.
bool series_name_is_criterion(Str printed);

// True for what a model is fitted by, where its name has no "loss": "RMSE", "MultiClass".
bool series_name_is_error(Str printed);

// True for what may be the loss where nothing is called so: "Cost", "train_mse_scaled", "energy".
bool series_name_is_fallback(Str printed);

// True for what calls a set of data or a phase that is no training: "val", "Test", "val_unseen".
bool series_name_is_split(Str text);

// True for the name of what holds such a word: "split", "Phase", "mode".
bool series_name_holds_split(Str key);

// True for the name of what holds the name of a series, beside its value: "metric", "tag", "key".
bool series_name_holds_name(Str key);

// True for a spelling of the learning rate.
bool series_name_is_rate(Str printed);

// True for times, speeds and memory: "data_time", "tokens/s", "eta".
bool series_name_is_speed(Str printed);

// True for a spelling of the time of a record, in seconds: _timestamp, Wall time, _runtime.
bool series_name_is_time(Str printed);

// True for a spelling of the number of the training step: step, global_step, iteration, …
// `order` is its place in the order of preference, from 0.
bool series_name_is_step(Str printed, int *order);

#endif
