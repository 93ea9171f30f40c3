// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <sys/stat.h>

#include "dump_check.h"
#include "fuzz_input.h"
#include "read/dump/dump_formats.h"
#include "read/dump/dump_source.h"
#include "read/monitor/event_table.h"
#include "read/precheck/precheck_file.h"
#include "read/settings/compare_config.h"
#include "read/settings/config_pack.h"
#include "read/settings/study_file.h"
#include "read/table/event_stream.h"
#include "read/token/saved_batch.h"

// Any bytes as the files that lie in folders: of a config-check pack, next to a dump, of saved
// batches, experiments, results of other tools. What is broken costs itself, and what is read is
// whole.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const places[] = {"env",
                                     "pip",
                                     "dataset/step0/rank0/dataset.json",
                                     "weights/step0/rank0/weight.json",
                                     "random/rank0.json",
                                     "step_1/rank_0/tokens.npy",
                                     "1/Opdebug.Node_OpDebug.6.7.17.output.0.json",
                                     "1/statistic.csv"};
enum { PLACES = sizeof places / sizeof *places };

static void put(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *at = path; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(path, 0700);
    }
    FILE *out = fopen(path, "wb");
    demand(out);
    demand(!size || fwrite(data, 1, size, out) == size);
    demand(fclose(out) == 0);
}

static void take_away(const char *folder)
{
    char path[160];
    for (size_t i = 0; i < PLACES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        remove(path);
        for (char *at; strlen(path) > strlen(folder) && (at = strrchr(path, '/'));) {
            *at = '\0';
            if (strlen(path) > strlen(folder))
                rmdir(path);
        }
    }
    rmdir(folder);
}

static void read_folder(const char *folder, Arena *arena, Notices *notices)
{
    Config config = {0};
    FolderList settings = {0};
    SavedBatches batches = {0};
    Error err;
    Dump dump;
    config_pack_is(folder);
    config_pack_read(folder, arena, &config, &settings, notices);
    for (size_t i = 0; i < config.count; i++)
        demand(config.items[i].section != NULL);
    if (saved_batches_read(folder, arena, &batches, notices, &err))
        for (size_t i = 0; i < batches.count; i++)
            demand(batches.items[i].most_count <= batches.items[i].count);
    const char *iteration = path_join(arena, folder, STR("1"));
    const char *file = dump_file_in(iteration, arena);
    if (file && dump_read(file, names_new(arena), arena, &dump, notices, &err))
        check_dump(&dump);
}

static void read_file(const char *path, Str text, Arena *arena, Notices *notices)
{
    StudyPlan plan;
    CompareConfig compare;
    Precheck precheck;
    Error err;
    Dump dump;
    EventStream end;
    uint64_t broken = 0;
    compare_config_read(path, arena, &compare);
    study_read(path, arena, &plan, notices, &err);
    if (module_struct_read(path, text, names_new(arena), arena, &dump, notices, &err))
        check_dump(&dump);
    EventGroups kinds = event_table_kinds(text, arena);
    for (size_t i = 0; i < kinds.count && i < 4; i++)
        event_table(text, kinds.items[i], arena, &end, &broken);
    precheck_init(arena, &precheck);
    precheck_read_text(path, text, arena, &precheck, notices, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    char folder[64], path[64];
    notices_init(&notices, arena);
    snprintf(folder, sizeof folder, "fuzz-%ld-beside", (long)getpid());
    for (size_t i = 0; i < PLACES; i++)
        put(folder, places[i], data, size);
    fuzz_file("beside.csv", data, size, path);
    Str copy = fuzz_copy(data, size);
    read_folder(folder, arena, &notices);
    read_file(path, copy, arena, &notices);
    free((void *)(uintptr_t)copy.data);
    take_away(folder);
    remove(path);
    arena_release(arena);
    return 0;
}
