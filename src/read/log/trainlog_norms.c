// SPDX-License-Identifier: Apache-2.0

// Local norms printed as a list in front of the step line that they belong to (M5):
//     norm_size: (I, I, …)
//     local_norm:
//     [N N … over several lines]
// and "print torch local norm:" with a list of tensor(N, device=…).

#include <math.h>
#include <string.h>

#include "read/log/trainlog_dialects.h"

enum { NORMS_MAX = 100000 };

static void open_list(TrainLog *log)
{
    log->in_list = true;
    log->has_pending = false;
    log->pending = (NormList){.global_norm = NAN, .maybe_squares = true};
}

// The i-th number of "(I, I, …)", 0 where there is none; unknown where entries were left out.
static void take_sizes(TrainLog *log)
{
    Scan scan = scan_of(log->sizes);
    int64_t size;
    for (size_t i = 0; !log->pending.elided && i < log->pending.count; i++) {
        scan_blanks(&scan);
        if (!scan_uint(&scan, &size))
            return;
        log->pending.items[i].elements = (uint64_t)size;
        scan_char(&scan, ',');
    }
}

static void close_list(TrainLog *log)
{
    log->in_list = false;
    log->has_pending = log->pending.count > 0;
    take_sizes(log);
}

static void push_norm(TrainLog *log, Figure figure)
{
    if (log->pending.count < NORMS_MAX)
        *ARRAY_PUSH(log->arena, &log->pending) =
            (LocalNorm){.value = figure.value, .decimals = figure.decimals};
}

// Takes the numbers of one line of the list; false if the line is something else.
static bool take_numbers(TrainLog *log, Scan scan)
{
    while (!scan_done(&scan)) {
        Figure figure;
        scan_blanks(&scan);
        if (scan_char(&scan, '[') || scan_char(&scan, ','))
            continue;
        if (scan_char(&scan, ']')) {
            close_list(log);
            return true;
        }
        if (scan_word(&scan, "...")) {
            log->pending.elided = true;
            continue;
        }
        bool tensor = scan_word(&scan, "tensor(");
        if (!scan_figure(&scan, &figure))
            return false;
        push_norm(log, figure);
        if (tensor && !scan_find(&scan, ")"))
            return false;
    }
    return true;
}

// The list that begins after an anchor, on the same line or on the next.
static bool begin_list(TrainLog *log, Scan scan)
{
    open_list(log);
    if (take_numbers(log, scan))
        return true;
    log->in_list = false;
    return false;
}

bool norm_list_take(TrainLog *log)
{
    Scan scan = scan_of(log->line);
    if (log->in_list) {
        size_t before = log->pending.count;
        if (take_numbers(log, scan))
            return true;
        log->pending.count = before;  // broken by another text, whose time is no norm
        close_list(log);
        return false;
    }
    if (!scan_find(&scan, "norm"))
        return false;
    scan = scan_of(log->line);
    if (scan_find(&scan, "norm_size:")) {
        if (!scan_find(&scan, "("))
            return false;
        log->sizes = str_copy(log->arena, scan_rest(&scan));
        return true;
    }
    scan = scan_of(log->line);
    if (scan_find(&scan, "torch local norm:"))
        return begin_list(log, scan);
    size_t at = str_find(log->line, STR("local_norm:"), 0);
    bool whole = at != SIZE_MAX && (at == 0 || log->line.data[at - 1] == ' ');
    return whole && begin_list(log, (Scan){log->line, at + strlen("local_norm:")});
}
