// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>

#include "commands/check_options.h"
#include "commands/machinery/commands.h"
#include "compare/invariant/law_run.h"
#include "fuzz_input.h"
#include "read/log/log_time.h"
#include "read/settings/parallel_layout.h"

// Any bytes as a parallel layout, typed or in a file, as what `check` is told, as the time of a log
// line and as a duration. A layout that is accepted for some ranks lays them out.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_layout(const ParallelLayout *layout)
{
    static const int64_t ranks[] = {1, 2, 8, 24, 1000, INT64_MAX};
    Error err;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        if (!parallel_layout_check(layout, ranks[i], &err))
            continue;
        ParallelStrides strides = parallel_layout_strides(layout, ranks[i]);
        demand(strides.tp > 0 || (strides.tp == 0 && layout->tp == 1));
        demand(strides.pp > 0 || (strides.pp == 0 && layout->pp == 1));
        demand(strides.dp >= 0);
        demand(strides.cp > 0 || (strides.cp == 0 && layout->cp == 1));
        demand(strides.ep > 0 || (strides.ep == 0 && layout->ep == 1));
        demand(ranks[i] % parallel_layout_batches(layout) == 0);
    }
}

// Lines are values of --layout, --skip, --tolerance and --rate in turn; one is refused with a
// reason, or what comes of it keeps its bounds.
static void check_wanted(Str text, Arena *arena)
{
    static const char *const names[] = {"layout", "skip", "tolerance", "rate"};
    Options options;
    CheckOptions out;
    Error err;
    Str line;
    options_begin(&check_command, arena, &options);
    for (size_t i = 0; str_split(&text, '\n', &line); i++)
        if (!options_add(&options, names[i % 4], str_copy(arena, line), arena, &err))
            return;
    if (!check_options_read(&options, arena, &out, &err)) {
        demand(err.kind == ERR_USAGE && err.text[0]);
        return;
    }
    demand(out.copies >= 0 && out.copies <= 1000000000 && out.layout.tp >= 1 &&
           out.layout.pp >= 1 && out.layout.vpp >= 1);
    demand(out.tolerance >= 0 && out.tolerance < 1 && out.rate >= 0);
    size_t skipped = 0;
    for (size_t i = 0; i < law_count; i++)
        skipped += out.skip[i].size > 0;
    demand(skipped <= options_list_count(&options, "skip"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    Error err;
    double seconds;
    size_t place = 0;
    Arena *arena = arena_new();
    Str text = fuzz_copy(data, size);
    ParallelLayout golden = parallel_layout_none(), target = golden;
    if (parallel_layout_parse(text, &golden, &err))
        check_layout(&golden);
    fuzz_file("layout.json", data, size, path);
    if (parallel_layout_read(path, arena, &golden, &target, &err)) {
        check_layout(&golden);
        check_layout(&target);
    }
    unlink(path);
    check_wanted(text, arena);
    log_time(text, &place);
    if (duration_of_text(text, &seconds))
        demand(!isnan(seconds) && seconds >= 0);
    free((void *)(uintptr_t)text.data);
    arena_release(arena);
    return 0;
}
