// SPDX-License-Identifier: Apache-2.0
// Parts that many pages and tickets have.
#include "report/kit/sections.h"

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"

// The report stays small enough to be opened.
enum { PAGE_ITEMS = 5000 };

void section_table(Report *out, const char *id, const char *heading, Table *table)
{
    if (!table || table->row_count == 0)
        return;
    report_heading(out, 2, id, str_of(heading), STR(""));
    report_table(out, table);
}

void section_code(Report *out, const char *heading, Str code)
{
    if (code.size == 0)
        return;
    report_heading(out, 2, "", str_of(heading), STR(""));
    report_code(out, code);
}

void section_folded(Report *out, Str summary, Table *table)
{
    if (!table || table->row_count == 0)
        return;
    report_details(out, summary);
    report_table(out, table);
    report_end(out);
}

static size_t items_drawn(const Report *report)
{
    size_t items = 0;
    for (size_t i = 0; i < report->count; i++)
        items += report->items[i].kind == BLOCK_FIGURE ? report->items[i].scene->count : 0;
    return items;
}

void section_figure(Report *out, const PageFigure *figure)
{
    size_t page = 1, left_out = 0;
    for (const Scene *scene = figure->scene; scene; scene = scene->next, page++) {
        if (page > 1 && (left_out || items_drawn(out) + scene->count > PAGE_ITEMS)) {
            left_out++;
            continue;
        }
        Str file = page == 1 ? figure->file
                             : str_printf(out->arena, STR_FMT "-%zu", STR_ARG(figure->file), page);
        report_figure(out, scene, file, STR(""));
    }
    if (left_out)
        report_text(out,
                    str_printf(out->arena,
                               tr_count(left_out,
                                        "%zu further page of this picture is left out here; its "
                                        "own files have them all.",
                                        "%zu further pages of this picture are left out here; its "
                                        "own files have them all."),
                               left_out));
}

static Str place_text(const Notice *notice, Arena *arena)
{
    Str place = notice->file;
    if (notice->line)
        place =
            str_printf(arena, STR_FMT ":%llu", STR_ARG(place), (unsigned long long)notice->line);
    if (notice->byte >= 0)
        place =
            str_printf(arena, tr(STR_FMT ", byte %lld"), STR_ARG(place), (long long)notice->byte);
    return place;
}

static void problem_columns(Row *row)
{
    static const char *const levels[] = {TR("note"), TR("note"), TR("warning"), TR("warning"),
                                         TR("error")};
    const Notice *notice = row->item;
    TEXT(row, TR("level"), 10, cell_word(levels[notice->level]));
    TEXT(row, TR("place"), 48, cell_code(place_text(notice, row->arena)));
    TEXT(row, TR("problem"), 80, cell_text(notice->text));
    NUMBER(row, TR("times"), 8, cell_count_or_dot(notice->count, row->arena));
}

void section_problems(Report *out, const char *id, const char *heading, const Notices *notices)
{
    Table *table = notices->count ? COLUMNS_TABLE(TR("Problems"), problem_columns, NULL,
                                                  notices->items, notices->count, out->arena)
                                  : NULL;
    section_table(out, id, heading, table);
}
