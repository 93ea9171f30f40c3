// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/product.h"

#include <unistd.h>

#include "base/array.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands/machinery/opener.h"
#include "commands/machinery/settings.h"
#include "picture/kit/page.h"
#include "picture/kit/verdict_head.h"
#include "report/kit/summary_sheet.h"

static ProductPart *add_part(Product *product, ProductPartKind kind, Str file, bool main)
{
    ProductPart *part = ARRAY_PUSH(product->arena, &product->parts);
    *part = (ProductPart){.kind = kind, .main = main, .file = str_cstr(product->arena, file)};
    return part;
}

void product_picture(Product *product, Str file, bool main, const Scene *scene)
{
    add_part(product, PART_PICTURE, file, main)->scene = scene;
}

void product_figure(Product *product, Str file, bool main, Scene *scene, const Verdict *verdict)
{
    product_picture(product, file, main, picture_with_verdict(scene, verdict, product->arena));
}

static void add_tables(Product *product, ProductPartKind kind, Str file, bool main,
                       Table *const *tables, size_t count)
{
    Table **copy = ARENA_ARRAY(product->arena, Table *, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = tables[i];
    ProductPart *part = add_part(product, kind, file, main);
    part->tables = copy;
    part->table_count = count;
}

void product_book(Product *product, Str file, bool main, Table *const *tables, size_t count)
{
    add_tables(product, PART_BOOK, file, main, tables, count);
}

void product_sheet(Product *product, Str file, bool main, Table *table)
{
    add_tables(product, PART_SHEET, file, main, &table, 1);
}

void product_page(Product *product, const Report *page, const char *printed)
{
    ProductPart *part = add_part(product, PART_PAGE, STR(""), true);
    part->file = printed;
    part->report = page;
}

void product_ticket(Product *product, const Report *ticket, const char *file)
{
    add_part(product, PART_TICKET, str_of(file), true)->report = ticket;
}

void product_file(Product *product, const char *format, Str file, bool main, ProductWriter *write,
                  void *context)
{
    ProductPart *part = add_part(product, PART_FILE, file, main);
    part->format = format;
    part->write = write;
    part->context = context;
}

void product_emit(Product *product, void (*emit)(void *context, Outputs *outputs), void *context)
{
    ProductPart *part = add_part(product, PART_EMIT, STR(""), false);
    part->emit = emit;
    part->context = context;
}

static bool write_facts(void *context, Sink *out, Error *err)
{
    const Product *product = context;
    (void)err;
    product->write_facts(product->facts, out);
    return true;
}

void product_facts(Product *product, void (*write)(const void *facts, Sink *out), const void *facts)
{
    product->write_facts = write;
    product->facts = facts;
    product_file(product, "json", STR("summary.json"), true, write_facts, product);
}

static void copy_book(const ProductPart *book, Product *to)
{
    Table **tables = ARENA_ARRAY(to->arena, Table *, book->table_count);
    for (size_t i = 0; i < book->table_count; i++)
        tables[i] = table_copy(book->tables[i], PRODUCT_ROWS_MAX, to->arena);
    product_book(to, str_of(book->file), true, tables, book->table_count);
}

void product_copy(const Product *from, Product *to)
{
    for (size_t i = 0; i < from->parts.count; i++) {
        const ProductPart *part = &from->parts.items[i];
        if (part->kind == PART_PICTURE)
            product_picture(to, str_of(part->file), part->main, scene_copy(part->scene, to->arena));
        else if (part->kind == PART_BOOK && part->main)
            copy_book(part, to);
    }
}

// ---- writing

static void write_picture(const ProductPart *part, Outputs *outputs)
{
    Arena *scratch = arena_new();
    outputs_scene(outputs, part->file, part->main,
                  picture_under_title(part->scene, outputs->title, scratch));
    arena_release(scratch);
}

// As text, under the title that was typed.
static void write_ticket(const ProductPart *part, Outputs *outputs)
{
    Arena *scratch = arena_new();
    Report titled;
    report_init(&titled, scratch);
    titled.title = part->report->title;
    if (outputs->title.size)
        report_heading(&titled, 2, "", outputs->title, STR(""));
    for (size_t i = 0; i < part->report->count; i++)
        *ARRAY_PUSH(scratch, &titled) = part->report->items[i];
    for (size_t i = 0; renderers[i]; i++)
        if (renderers[i]->ticket)
            outputs_report(outputs, renderers[i]->name, part->file, &titled);
    arena_release(scratch);
}

static void write_part(const ProductPart *part, Outputs *outputs)
{
    switch (part->kind) {
    case PART_PICTURE:
        write_picture(part, outputs);
        break;
    case PART_BOOK:
    case PART_SHEET:
        outputs_tables(outputs, part->kind == PART_SHEET, part->file, part->main, part->tables,
                       part->table_count);
        break;
    case PART_PAGE:
        outputs_report(outputs, "html", "index", part->report);
        if (part->file)
            outputs_report(outputs, "pdf", part->file, part->report);
        break;
    case PART_TICKET:
        write_ticket(part, outputs);
        break;
    case PART_FILE:
        outputs_custom(outputs, part->format, part->file, part->main, part->write, part->context);
        break;
    case PART_EMIT:
        part->emit(part->context, outputs);
        break;
    }
}

// A part on its way, with all that outputs learn of it, so that threads share nothing.
typedef struct PartJob {
    const ProductPart *part;
    Outputs outputs;
    Error err;
    FontReport fonts;
    Arena *arena;  // of the names
    OutputNames names;
    OutputNames fresh;      // what was not there before
    OutputTarget *targets;  // with a tally of its own
} PartJob;

typedef struct PartJobs {
    PartJob *items;
    size_t count;
    size_t *pictures, picture_count;
} PartJobs;

// All but pictures one after the other, up to one that fails: tables are pulled from the same
// records, and pages show tables.
static void write_in_order(PartJobs *jobs)
{
    bool failed = false;
    for (size_t i = 0; i < jobs->count && !failed; i++) {
        PartJob *job = &jobs->items[i];
        if (job->part->kind == PART_PICTURE)
            continue;
        write_part(job->part, &job->outputs);
        failed = job->outputs.failed;
    }
}

static void write_turn(void *context, size_t turn)
{
    PartJobs *jobs = context;
    if (turn == 0) {
        write_in_order(jobs);
        return;
    }
    PartJob *picture = &jobs->items[jobs->pictures[turn - 1]];
    write_part(picture->part, &picture->outputs);
}

static void start_job(PartJob *job, const ProductPart *part, const Outputs *outputs)
{
    *job = (PartJob){.part = part, .outputs = *outputs, .arena = arena_new()};
    job->outputs.err = &job->err;
    job->names.arena = job->arena;
    job->outputs.written = outputs->written ? &job->names : NULL;
    job->outputs.render.jobs = 1;
    job->fresh.arena = job->arena;
    job->outputs.fresh = &job->fresh;
    job->targets = ARENA_ARRAY(job->arena, OutputTarget, outputs->count);
    for (size_t i = 0; i < outputs->count; i++) {
        job->targets[i] = outputs->targets[i];
        if (job->targets[i].made)
            job->targets[i].made = ARENA_NEW(job->arena, OutputMade);
    }
    job->outputs.targets = job->targets;
    outputs_watch_fonts(&job->outputs, &job->fonts);
}

// As if the part had been written alone, to the outputs themselves: not at all after one that
// failed. What it wrote over is whole, and stays.
static void join_job(PartJob *job, Outputs *outputs)
{
    if (outputs->failed) {
        for (size_t i = 0; i < job->fresh.count; i++)
            unlink(str_cstr(job->arena, job->fresh.items[i]));
        arena_release(job->arena);
        return;
    }
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].made)
            outputs_join_made(job->targets[i].made, outputs->targets[i].made);
    if (job->outputs.failed) {
        outputs->failed = true;
        *outputs->err = job->err;
    }
    outputs->fonts->missing += job->fonts.missing;
    outputs->fonts->no_fonts = outputs->fonts->no_fonts || job->fonts.no_fonts;
    for (size_t i = 0; i < job->names.count; i++)
        *ARRAY_PUSH(outputs->written->arena, outputs->written) =
            str_copy(outputs->written->arena, job->names.items[i]);
    arena_release(job->arena);
}

// Pictures are finished scenes, which nothing changes any more: they are written side by side, and
// next to the other parts.
static void write_side_by_side(const Product *product, Outputs *outputs)
{
    Arena *scratch = arena_new();
    size_t count = product->parts.count;
    PartJobs jobs = {.items = ARENA_ARRAY(scratch, PartJob, count),
                     .count = count,
                     .pictures = ARENA_ARRAY(scratch, size_t, count)};
    for (size_t i = 0; i < count; i++) {
        start_job(&jobs.items[i], &product->parts.items[i], outputs);
        if (product->parts.items[i].kind == PART_PICTURE)
            jobs.pictures[jobs.picture_count++] = i;
    }
    threads_run(jobs.picture_count + 1, outputs->render.jobs, write_turn, &jobs);
    for (size_t i = 0; i < count; i++)
        join_job(&jobs.items[i], outputs);
    arena_release(scratch);
}

static bool has_title(const Product *product)
{
    for (size_t i = 0; i < product->parts.count; i++)
        if (product->parts.items[i].kind == PART_PICTURE ||
            product->parts.items[i].kind == PART_TICKET)
            return true;
    return false;
}

void product_write_parts(const Product *product, Outputs *outputs)
{
    if (has_title(product) && outputs->options)
        outputs->title = options_text(outputs->options, "title", "");
    if (outputs->render.jobs > 1 && outputs->fonts && !outputs->failed) {
        write_side_by_side(product, outputs);
        return;
    }
    for (size_t i = 0; i < product->parts.count; i++)
        write_part(&product->parts.items[i], outputs);
}

int product_exit(const Product *product, bool exit_zero)
{
    if (product->night_lost)
        return 5;
    if (product->status == PRODUCT_NOTHING)
        return 3;
    if (exit_zero)
        return 0;
    if (product->status == PRODUCT_DIFFERS)
        return 1;
    return product->verdict.partial || notices_any_partial(product->notices) ? 4 : 0;
}

// ---- for CI systems

static CiFinding *add_verdict_finding(Product *product, const char *rule)
{
    CiFinding *finding = ARRAY_PUSH(product->arena, &product->ci.findings);
    *finding = (CiFinding){.rule = rule, .message = product->verdict.sentence, .key = str_of(rule)};
    return finding;
}

// Where the command names no findings, its verdict is one; that a part was left out, and that
// settings decided, are more.
static void find_verdict(Product *product)
{
    CiOutcome *ci = &product->ci;
    static const char *const states[] = {
        [PRODUCT_AGREES] = "agrees", [PRODUCT_DIFFERS] = "differs", [PRODUCT_NOTHING] = "nothing"};
    const Options *options = product->outputs->options;
    ci->command = options ? options->command->name : "";
    ci->version = VERNIER_VERSION;
    ci->state = states[product->status];
    ci->partial = product->verdict.partial || notices_any_partial(product->notices);
    if (!ci->findings.count && product->status != PRODUCT_AGREES)
        add_verdict_finding(product, ci->state)->error = true;
    if (ci->partial && product->status != PRODUCT_NOTHING)
        add_verdict_finding(product, "partial");
    // What differs says so itself; an agreement that a setting made would be told nowhere.
    if (ci->judged_by.size && product->status == PRODUCT_AGREES)
        add_verdict_finding(product, "settings");
}

typedef struct CiForm {
    const char *format, *file;
    void (*write)(const CiOutcome *report, Sink *out);
} CiForm;

typedef struct CiFile {
    const CiForm *form;
    const CiOutcome *report;
} CiFile;

static bool write_ci_file(void *context, Sink *out, Error *err)
{
    const CiFile *file = context;
    (void)err;
    file->form->write(file->report, out);
    return true;
}

// After the other parts: only then the verdict stands.
static void write_ci(Product *product)
{
    static const CiForm forms[] = {
        {"sarif", "vernier.sarif", sarif_write},
        {"codequality", "gl-code-quality-report.json", code_quality_write},
        {"github", "annotations.txt", annotations_write},
        {"openmetrics", "vernier.prom", openmetrics_write},
    };
    if (!product->write_facts)
        return;  // a part of a run
    find_verdict(product);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        CiFile file = {&forms[i], &product->ci};
        outputs_custom(product->outputs, forms[i].format, forms[i].file, true, write_ci_file,
                       &file);
    }
}

// All that is said of what was done; false, with the product's error set, if it cannot be.
static bool tell(Product *product, const Console *as_asked)
{
    Outputs *outputs = product->outputs;
    Error err;
    Console own = *as_asked;
    const Console *console = &own;
    if (product->fills_standard)
        console_result_aside(&own);
    console_notices(console, product->notices);
    if (product->tells_read)
        console_read_line(console, &product->read, product->notices);
    for (size_t i = 0; i < outputs->count; i++)
        console_written(console, &outputs->targets[i]);
    // Where the output is the answer itself.
    if (!product->verdict.sentence.size ||
        console_verdict(console, &product->verdict, product->tree, &err))
        return true;
    if (!outputs->failed)
        *product->err = err;
    return false;
}

// -q does not make a verdict one that nobody can see was set elsewhere, or that rests on less than
// was asked for.
static void tell_settings(const Product *product, const Console *console, int code)
{
    Console own = *console;
    Notices told;
    if (console->quiet != 1)
        return;
    if (!console_speaks(console, code))
        console_notices(console, product->notices);
    own.quiet = 0;
    notices_init(&told, product->arena);
    told.redaction = product->notices->redaction;
    if (product->outputs->options)  // none of what makes no report
        settings_tell(product->outputs->options, &told);
    console_notices(&own, &told);
}

// --open: what the first output has for a reader, else why nothing is shown. A watch shows it once.
static void show_report(const Product *product, const Console *console)
{
    const Outputs *outputs = product->outputs;
    Arena *scratch = arena_new();
    const char *why = tr("no file was written");
    for (size_t i = 0; i < outputs->count; i++) {
        const OutputTarget *target = &outputs->targets[i];
        if (target->made && target->made->files) {
            why = opener_show(str_cstr(scratch, outputs_first_file(target, scratch)));
            break;
        }
    }
    Notices told;
    notices_init(&told, scratch);
    if (console->told && !why)
        console->told->report_shown = true;
    if (why)
        notices_add(&told, NOTICE_WARNING, NOWHERE, tr("--open: the report is not shown: %s"), why);
    console_notices(console, &told);
    arena_release(scratch);
}

// A file that was asked for and that no part of the product fills is missed later, by a job.
static void note_unfilled(const Outputs *outputs, Notices *notices)
{
    for (size_t i = 0; i < outputs->count && !outputs->failed; i++) {
        const OutputTarget *target = &outputs->targets[i];
        if (!target->folder && target->made && !target->made->files)
            notices_add(notices, NOTICE_UNMET, WHERE_FILE(target->path),
                        tr("-o: nothing was written: this run has no " STR_FMT),
                        STR_ARG(target->format));
    }
}

// Every workbook begins with the verdict.
static void add_summaries(Product *product)
{
    for (size_t i = 0; i < product->parts.count; i++) {
        ProductPart *part = &product->parts.items[i];
        if (part->kind != PART_BOOK || !product->verdict.sentence.size || !part->table_count ||
            summary_sheet_is(part->tables[0]))
            continue;
        Table **tables = ARENA_ARRAY(product->arena, Table *, part->table_count + 1);
        tables[0] =
            summary_sheet(&product->verdict, NULL, part->tables, part->table_count, product->arena);
        for (size_t k = 0; k < part->table_count; k++)
            tables[k + 1] = part->tables[k];
        part->tables = tables;
        part->table_count++;
    }
}

static bool has_format(const void *of, Str format)
{
    const Outputs *outputs = of;
    return outputs_want(outputs, str_cstr(outputs->arena, format));
}

int product_write(Product *product, const Console *console, bool exit_zero)
{
    Outputs *outputs = product->outputs;
    // Before summary.json, which lists them.
    if (outputs->options && product->status != PRODUCT_NOTHING)
        options_note_idle(outputs->options, has_format, outputs, product->notices);
    if (outputs->unplaced)
        *product->err = *outputs->unplaced;
    if (product->status == PRODUCT_NOTHING)
        outputs_leave_old(outputs);
    // Without a plan nothing is written but to standard output.
    if (outputs->count && options_known(outputs->options, "jobs"))
        outputs->render.jobs = options_jobs(outputs->options);
    add_summaries(product);
    product_write_parts(product, outputs);
    write_ci(product);
    if (product->write_beside &&
        !product->write_beside(product->job, product->notices, product->err))
        outputs->failed = true;
    outputs_end_lists(outputs);
    progress_end(outputs->progress);
    outputs->progress = NULL;
    if (product->status != PRODUCT_NOTHING && product->parts.count)
        note_unfilled(outputs, product->notices);
    if (outputs->fonts)
        outputs_note_missing(outputs, product->notices);
    int code = outputs->failed ? console_code(product->err) : product_exit(product, exit_zero);
    tell_settings(product, console, code);
    if (console_speaks(console, code) && !tell(product, console) && !outputs->failed) {
        outputs->failed = true;
        code = console_code(product->err);
    }
    bool shown = console->told && console->told->report_shown;
    if (outputs->options && options_flag(outputs->options, "open") && !outputs->failed && !shown)
        show_report(product, console);
    return outputs->failed ? console_error(console, product->err) : code;
}

void product_release(Product *product)
{
    if (product->release)
        product->release(product->job);
    product->release = NULL;
}
