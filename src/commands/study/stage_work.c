// SPDX-License-Identifier: Apache-2.0
#include "commands/study/stage_work.h"

#include "base/array.h"
#include "base/words.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/runner.h"

// ---- what is asked

void stage_begin(StageWork *work, const CommandSpec *command, StageCall *call)
{
    *call = (StageCall){.bad = false};
    options_begin(command, work->arena, &call->options);
}

void stage_argument(StageWork *work, StageCall *call, Str text)
{
    options_add_argument(&call->options, text, work->arena);
}

void stage_value(StageWork *work, StageCall *call, const char *option, Str value)
{
    call->bad = call->bad || !options_add(&call->options, option, value, work->arena, &call->err);
}

static void add(StageWork *work, StageCall *call, const char *option, Str value)
{
    if (option)
        stage_value(work, call, option, value);
    else
        stage_argument(work, call, value);
}

void stage_option(StageWork *work, StageCall *call, const char *option, const char *key)
{
    const StudyValue *value = study_value(work->section, key);
    for (size_t i = 0; value && i < value->count; i++)
        add(work, call, option, value->items[i]);
}

static Str join_items(const StudyValue *value, Arena *arena)
{
    StrBuf joined = strbuf_new(arena);
    for (size_t i = 0; i < value->count; i++) {
        if (i)
            strbuf_add_char(&joined, ',');
        strbuf_add(&joined, value->items[i]);
    }
    return strbuf_str(&joined);
}

Str stage_run_text(StageWork *work, const char *key, Str name)
{
    const StudyValue *value = study_value(work->section, key);
    if (!value)
        return (Str){"", 0};
    Str files = join_items(value, work->arena);
    return name.size ? str_printf(work->arena, STR_FMT "=" STR_FMT, STR_ARG(name), STR_ARG(files))
                     : files;
}

void stage_run_option(StageWork *work, StageCall *call, const char *option, const char *key,
                      Str name)
{
    if (study_value(work->section, key))
        add(work, call, option, stage_run_text(work, key, name));
}

void stage_settings(StageWork *work, StageCall *call, const char *const *names)
{
    if (!work->options->settings || call->bad)
        return;
    call->bad =
        !settings_apply(work->options->settings, names, &call->options, work->arena, &call->err);
    settings_pass_up(&call->options, work->options, work->arena);
}

void stage_limits(StageWork *work, StageCall *call)
{
    StrBuf list;
    const StageLimit *limit;
    list = strbuf_new(work->arena);
    for (size_t i = 0; (limit = study_limit(work->stage, i)) != NULL; i++) {
        const StudyValue *value = study_value(work->section, limit->key);
        if (value)
            strbuf_printf(&list, "%s%s=" STR_FMT, strbuf_str(&list).size ? "," : "", limit->name,
                          STR_ARG(value->items[0]));
    }
    if (strbuf_str(&list).size == 0)
        return;
    stage_value(work, call, "limits", strbuf_str(&list));
}

// ---- what comes of it

void stage_give_up(StageWork *work, bool unreadable, Str reason)
{
    work->out->status = STAGE_NOT_DONE;
    work->out->unreadable = unreadable;
    work->out->reason = reason;
    work->out->figure_count = work->out->table_count = 0;
}

void stage_give_up_error(StageWork *work, const Error *err)
{
    Str file = redact_path(work->redaction, str_of(err->file), work->arena);
    Str text = redact_text(work->redaction, str_of(err->text), work->arena);
    Str reason = text;
    if (file.size)
        reason = str_printf(work->arena, STR_FMT ": " STR_FMT, STR_ARG(file), STR_ARG(text));
    notices_partial(work->notices, NOWHERE, "%s: " STR_FMT, study_stage_key(work->stage),
                    STR_ARG(reason));
    stage_give_up(work, true, str_copy(work->arena, reason));
}

// The figures of a product, each with and without the verdict on top.
typedef struct Figures {
    StageFigure *items;
    size_t count, capacity;
} Figures;

static StageFigure *figure_named(StageWork *work, Figures *figures, Str file)
{
    Str name = str_printf(work->arena, "%s-" STR_FMT, study_stage_key(work->stage), STR_ARG(file));
    for (size_t i = 0; i < figures->count; i++)
        if (str_equal(figures->items[i].name, name))
            return &figures->items[i];
    StageFigure *figure = ARRAY_PUSH(work->arena, figures);
    *figure = (StageFigure){.name = name};
    return figure;
}

static void take_page(StageWork *work, const Report *page, Figures *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const Block *block = &page->items[i];
        if (block->kind != BLOCK_FIGURE)
            continue;
        StageFigure *figure = figure_named(work, out, block->file);
        figure->on_page = scene_copy(block->scene, work->arena);
        figure->caption = str_copy(work->arena, block->note);
    }
}

// Those that stand on the command's own page, under names of the stage.
static void take_figures(StageWork *work, const Product *product)
{
    Figures all = {0}, *shown = ARENA_NEW(work->arena, Figures);
    for (size_t i = 0; i < product->parts.count; i++) {
        const ProductPart *part = &product->parts.items[i];
        if (part->kind == PART_PICTURE)
            figure_named(work, &all, str_of(part->file))->picture =
                scene_copy(part->scene, work->arena);
        else if (part->kind == PART_PAGE)
            take_page(work, part->report, &all);
    }
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].on_page)
            *ARRAY_PUSH(work->arena, shown) = all.items[i];
    work->out->figures = shown->items;
    work->out->figure_count = shown->count;
}

static void take_book(StageWork *work, const ProductPart *book)
{
    Table **tables = ARENA_ARRAY(work->arena, Table *, book->table_count);
    size_t count = 0;
    for (size_t i = 0; i < book->table_count; i++) {
        if (book->tables[i]->row_count == 0)
            continue;
        Table *table = table_copy(book->tables[i], PRODUCT_ROWS_MAX, work->arena);
        table->name = str_printf(work->arena, "%s " STR_FMT, study_stage_key(work->stage),
                                 STR_ARG(table->name));
        if (table->row_count)
            tables[count++] = table;
    }
    work->out->tables = tables;
    work->out->table_count = count;
}

static void take_tables(StageWork *work, const Product *product)
{
    for (size_t i = 0; i < product->parts.count; i++)
        if (product->parts.items[i].kind == PART_BOOK && product->parts.items[i].main)
            take_book(work, &product->parts.items[i]);
}

static Verdict copy_verdict(const Verdict *verdict, Arena *arena)
{
    return (Verdict){.style = verdict->style,
                     .partial = verdict->partial,
                     .sentence = str_copy(arena, verdict->sentence),
                     .word = str_copy(arena, verdict->word),
                     .rest = str_copy(arena, verdict->rest),
                     .joint = str_copy(arena, verdict->joint),
                     .place = str_copy(arena, verdict->place),
                     .reason = str_copy(arena, verdict->reason),
                     .context = str_copy(arena, verdict->context)};
}

bool stage_compute(StageWork *work, StageCall *call, Product *out)
{
    *out = (Product){.err = &call->err};
    if (work->jobs.size)
        stage_value(work, call, "jobs", work->jobs);
    if (work->redaction)
        stage_value(work, call, "redact", STR(""));
    return !call->bad && command_compute(&call->options, work->arena, out);
}

bool stage_collect(StageWork *work, StageCall *call, Product *out)
{
    work->out->command = command_quote(&call->options, work->redaction, work->arena);
    bool made = stage_compute(work, call, out);
    if (out->notices)
        notices_join(work->notices, out->notices);
    if (!made) {
        stage_give_up_error(work, out->err);
        return false;
    }
    int code = product_exit(out, false);
    work->out->verdict = copy_verdict(&out->verdict, work->arena);
    work->out->partial = out->verdict.partial || code == 4;
    if (out->status == PRODUCT_NOTHING) {
        Str text = work->out->verdict.sentence;
        stage_give_up(work, true, text.size ? text : str_of(tr("nothing could be compared")));
        return false;
    }
    work->out->status = out->status == PRODUCT_DIFFERS ? STAGE_FAILED : STAGE_PASSED;
    take_figures(work, out);
    take_tables(work, out);
    return true;
}
