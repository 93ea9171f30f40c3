// SPDX-License-Identifier: Apache-2.0
#include "report/compare/pair_links.h"

#include <string.h>

#include "base/words.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"

static Str file_of(const PairFiles *files, const char *format)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].format, format) == 0)
            return files->items[i].file;
    return (Str){"", 0};
}

Str pair_shown(const PairFiles *files)
{
    static const char *const formats[] = {"html", "svg", "png", "pdf"};
    Str out = {"", 0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !out.size; i++)
        out = file_of(files, formats[i]);
    return out;
}

Str pair_page_link(const CompareSummary *summary, size_t pair)
{
    Str own = pair_shown(&summary->files[pair]);
    const PairGroups *groups = &summary->groups;
    return own.size || !groups->of
               ? own
               : pair_shown(&summary->files[groups->items[groups->of[pair]].first]);
}

Str pair_book(const PairFiles *files)
{
    return file_of(files, "xlsx");
}

static void file_columns(Row *row)
{
    const PairFile *file = row->item;
    TEXT(row, TR("format"), 10, cell_text(str_of(file->format)));
    TEXT(row, TR("file"), 40, cell_linked(cell_code(file->file), file->file));
}

Table *table_of_files(const PairFiles *files, Arena *arena)
{
    return files->count
               ? COLUMNS_TABLE(TR("Files"), file_columns, files, files->items, files->count, arena)
               : NULL;
}
