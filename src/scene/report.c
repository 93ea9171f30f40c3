// SPDX-License-Identifier: Apache-2.0
#include "scene/report.h"

void report_init(Report *report, Arena *arena)
{
    *report = (Report){.arena = arena};
}

static Block *push(Report *report, BlockKind kind, Str text)
{
    Block *block = ARRAY_PUSH(report->arena, report);
    block->kind = kind;
    block->text = text;
    return block;
}

Block *report_verdict(Report *report, const Verdict *verdict)
{
    report->title = verdict->sentence;
    Block *block = push(report, BLOCK_VERDICT, verdict->sentence);
    block->verdict = verdict;
    return block;
}

Block *report_heading(Report *report, int level, const char *id, Str text, Str note)
{
    Block *block = push(report, BLOCK_HEADING, text);
    block->level = level;
    block->id = str_of(id);
    block->note = note;
    return block;
}

Block *report_text(Report *report, Str text)
{
    return push(report, BLOCK_TEXT, text);
}

Block *report_item(Report *report, Str text, bool ordered)
{
    Block *block = push(report, BLOCK_ITEM, text);
    block->level = 1;
    block->ordered = ordered;
    block->rich = true;
    return block;
}

Block *report_code(Report *report, Str text)
{
    return push(report, BLOCK_CODE, text);
}

Block *report_figure(Report *report, const Scene *scene, Str file, Str caption)
{
    Block *block = push(report, BLOCK_FIGURE, scene->title);
    block->scene = scene;
    block->file = file;
    block->note = caption;
    return block;
}

Block *report_table(Report *report, Table *table)
{
    Block *block = push(report, BLOCK_TABLE, table->name);
    block->table = table;
    return block;
}

void report_columns(Report *report)
{
    push(report, BLOCK_COLUMNS, (Str){"", 0});
}

void report_details(Report *report, Str summary)
{
    push(report, BLOCK_DETAILS, summary);
}

void report_end(Report *report)
{
    push(report, BLOCK_END, (Str){"", 0});
}

Block *report_footer(Report *report, Str text)
{
    return push(report, BLOCK_FOOTER, text);
}

Block *report_index(Report *report, const char *id, Str lines)
{
    Block *block = push(report, BLOCK_INDEX, lines);
    block->id = str_of(id);
    return block;
}
