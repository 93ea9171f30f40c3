// SPDX-License-Identifier: Apache-2.0
#include "commands/collector.h"

#include <stdio.h>

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"
#include "read/json_parse.h"

void collector_init(Collector *collector, Arena *arena)
{
    *collector = (Collector){.arena = arena};
    notices_init(&collector->notices, arena);
}

static CollectedFigure *figure_named(Collector *collector, Str file)
{
    for (size_t i = 0; i < collector->figures.count; i++)
        if (str_equal(collector->figures.items[i].file, file))
            return &collector->figures.items[i];
    CollectedFigure *figure = ARRAY_PUSH(collector->arena, &collector->figures);
    figure->file = str_copy(collector->arena, file);
    return figure;
}

void collector_picture(Collector *collector, const char *file, const Scene *scene)
{
    figure_named(collector, str_of(file))->picture = scene_copy(scene, collector->arena);
}

void collector_report(Collector *collector, const Report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const Block *block = &report->items[i];
        if (block->kind != BLOCK_FIGURE)
            continue;
        CollectedFigure *figure = figure_named(collector, block->file);
        figure->on_page = scene_copy(block->scene, collector->arena);
        figure->caption = str_copy(collector->arena, block->note);
    }
}

void collector_tables(Collector *collector, Table *const *tables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *ARRAY_PUSH(collector->arena, &collector->tables) =
            table_copy(tables[i], COLLECTED_ROWS_MAX, collector->arena);
}

void collector_verdict(Collector *collector, const Verdict *verdict)
{
    Arena *arena = collector->arena;
    collector->verdict = (Verdict){.style = verdict->style,
                                   .partial = verdict->partial,
                                   .sentence = str_copy(arena, verdict->sentence),
                                   .word = str_copy(arena, verdict->word),
                                   .joint = str_copy(arena, verdict->joint),
                                   .place = str_copy(arena, verdict->place),
                                   .reason = str_copy(arena, verdict->reason),
                                   .context = str_copy(arena, verdict->context)};
}

void collector_join(Collector *collector, const Collector *part)
{
    for (size_t i = 0; i < part->figures.count; i++) {
        const CollectedFigure *from = &part->figures.items[i];
        CollectedFigure *figure = figure_named(collector, from->file);
        figure->caption = str_copy(collector->arena, from->caption);
        if (from->picture)
            figure->picture = scene_copy(from->picture, collector->arena);
        if (from->on_page)
            figure->on_page = scene_copy(from->on_page, collector->arena);
    }
    collector_tables(collector, part->tables.items, part->tables.count);
}

const CollectedFigure *collector_figure(const Collector *collector, Str file)
{
    for (size_t i = 0; i < collector->figures.count; i++)
        if (str_equal(collector->figures.items[i].file, file))
            return &collector->figures.items[i];
    return NULL;
}

Table *collector_table(const Collector *collector, Str name)
{
    for (size_t i = 0; i < collector->tables.count; i++)
        if (str_equal(collector->tables.items[i]->name, name))
            return collector->tables.items[i];
    return NULL;
}

cJSON *collector_parse(const Collector *collector)
{
    Str text = collector->summary;
    if (text.size == 0)
        return NULL;
    return json_parse(text, NULL);
}
