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
    bool core;      // a record without it is named: losses, norms, rate, loss scale
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

// What a printed name says.
typedef struct NameFacts {
    bool loss;         // a spelling of the plain loss, lm_loss excepted
    bool total;        // the sum that other losses are parts of: "total_loss"
    bool core;         // a spelling of the loss, the gradient norm or the rate
    bool rate;         // of the learning rate
    bool joined;       // two words that are known as one: "learning rate", "global step"
    bool measure;      // what makes a line a record: the core ones, and losses of other names
    bool criterion;    // "nll", "train_ce", "mse", "objective": the loss where none is called so
    bool fallback;     // what may be the loss then: "Cost", "train_mse_scaled", "energy"
    bool error;        // what a model is fitted by, without "loss" in its name: "RMSE"
    bool second_loss;  // a loss of any kind: "loss.mtp_loss", "eval_loss", "xent_objf"
    bool evaluation;   // a spelling of the loss of an evaluation
    bool metric;       // what an evaluation gives besides: "val_acc", "eval/perplexity"
    bool eval_error;   // its error, not in nats: "eval-rmse", "validation_0-mae"
    bool success;      // "critic/score/mean", "train_acc", "actor/entropy"; not std, max, min
    bool reward;       // those of them that are rewards: "ep_rew_mean", "AverageEpRet"
    bool speed;        // times, speeds and memory: "data_time", "tokens/s", "eta"
    bool time;         // the time of a record, in seconds: "_timestamp", "Wall time"
    bool step;         // the number of the training step: "global_step", "iteration"
    bool split;        // a set of data or a phase that is no training: "val", "Test"
    bool holds_split;  // the name of what holds such a word: "split", "Phase"
    bool holds_name;   // or the name of a series next to its value: "metric", "tag"
    int order;         // of a step: its place in the order of preference, from 0
} NameFacts;

NameFacts series_facts(Str printed);
// True for a step; `order` as above.
bool series_name_is_step(Str printed, int *order);

#endif
