// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "fuzz_input.h"
#include "report/history/history_tables.h"
#include "trend/history/history_store.h"

// Any bytes as a history: read, told as tables, and a night added. What is refused stays as it is.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drain(Table *table)
{
    Cell cells[16];
    while (table && table->next(table->state, cells))
        ;
}

static void tell(const Histories *histories, Arena *arena)
{
    for (size_t i = 0; i < histories->count; i++) {
        HistoryView view;
        Verdict verdict;
        history_view(&histories->items[i], arena, &view);
        history_verdict(&view, 1, arena, &verdict);
        drain(history_table_of_nights(&view, 0, arena));
        drain(history_table_of_events(&view, 0, arena));
        drain(history_table_of_trends(&view, 0, arena));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    fuzz_file("history.db", data, size, path);
    Arena *arena = arena_new();
    Histories histories;
    History history;
    Error err;
    if (history_read(path, HISTORY_FACTS_MAX, arena, &histories, &err))
        tell(&histories, arena);
    HistoryNight night = {.command = STR("compare"), .label = STR("x"), .verdict = STR("y")};
    history_add(&night, arena,
                (HistoryFact){.kind = STR("layer"), .name = STR("a"), .metric = STR("forward")});
    history_keep(path, &night, arena, &history, &err);
    arena_release(arena);
    unlink(path);
    return 0;
}
