// SPDX-License-Identifier: Apache-2.0
#include "read/log/event_records.h"

#include <math.h>

#include "base/words.h"
#include "read/table/event_stream.h"

// A tag over samples has a twin over steps: never mixed with it.
static bool is_twin(Str tag)
{
    return str_ends(tag, STR(" vs samples"));
}

static void take_value(Part *part, Str tag, Figure figure)
{
    // What Trainer writes at its end is the mean over the run.
    bool mean = str_equal(tag, STR("train/train_loss")) && part_knows(part, STR("train/loss"));
    if (!is_twin(tag) && !mean)
        part_add(part, tag, figure);
}

bool event_file_read(const char *path, Str bytes, Arena *arena, Parts *out, Notices *notices,
                     Error *err)
{
    Part *part = part_new(out, path, -1, "tensorboard", arena);
    EventStream stream = {.bytes = bytes};
    Str tag;
    Figure figure;
    while (event_stream_next(&stream)) {
        part->start_time = isnan(part->start_time) ? stream.time : part->start_time;
        part_begin(part, stream.step, -1, 0);
        part_add_time(part, stream.time);
        while (event_stream_value(&stream, &tag, &figure))
            take_value(part, tag, figure);
        part_end(part);
    }
    if (stream.count == 0) {
        out->count--;
        return error_set(err, ERR_INPUT, WHERE_BYTE(path, 0), "%s",
                         tr("not one whole record in this event file"));
    }
    event_stream_report(&stream, path, notices);
    return true;
}
