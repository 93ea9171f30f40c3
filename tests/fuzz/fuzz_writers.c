// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "demo.h"
#include "fuzz_input.h"
#include "markup_check.h"

// Any bytes as every text of a page, a table and a picture, through every writer of text: pages and
// pictures are well-formed and hold nothing that runs.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_text(void *state, Str element, Str text)
{
    (void)state, (void)element, (void)text;
}

static void check_markup(Str bytes, Arena *arena)
{
    static const MarkupVisitor harmless = {markup_refuse_active, ignore_text, NULL};
    demand(markup_well_formed(bytes, arena, &harmless) && check_failures == 0);
}

static Str end(Sink *sink)
{
    Error err;
    Str bytes = sink_bytes(sink);
    demand(sink_commit(sink, &err));
    return bytes;
}

static void fill_table(Table *table, TableRows *rows, Column *column, Str name, Arena *arena)
{
    column->title = name;
    table_init_rows(table, rows, "Names", column, 1, arena);
    Cell *cell = table_add_row(table);
    *cell = cell_styled(STYLE_ERROR, name);
    cell->title = name;
    cell = table_add_row(table);
    *cell = cell_number_as(1.5, STR("1.5"));
    table->note = name;
}

static Scene draw(Str name, Arena *arena)
{
    Scene scene;
    scene_init(&scene, arena, "fuzz", 400);
    scene.height = 100;
    scene.title = scene.description = name;
    scene_group(&scene, name, name, STR("#op-1"));
    scene_text(&scene, 10, 10, 12, 400, ANCHOR_START, ROLE_NONE, name);
    scene_title(&scene, scene_box(&scene, 0, 0, 10, 10, ROLE_NONE, ROLE_NONE), STR_FMT,
                STR_ARG(name));
    scene_group_end(&scene);
    return scene;
}

static void fill_report(Report *report, Str name, Table *table, const Scene *scene, Arena *arena)
{
    Verdict *verdict = ARENA_NEW(arena, Verdict);
    *verdict = (Verdict){.style = STYLE_ERROR,
                         .sentence = name,
                         .word = str_slice(name, 0, 3),
                         .place = name,
                         .reason = name,
                         .context = name};
    report_init(report, arena);
    report->title = name;
    report_verdict(report, verdict);
    report_heading(report, 2, "part", name, name);
    report_text(report, name);
    report_code(report, name);
    report_figure(report, scene, STR("graph"), name);
    report_table(report, table);
    report_details(report, name);
    report_end(report);
    report_footer(report, name);
}

// Without the parts of the page that are ours: its style sheet and its program.
static void check_page(Str page)
{
    demand(str_find(page, STR("<script>alert"), 0) == SIZE_MAX);
    demand(page.size > 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Str name = fuzz_copy(data, size);
    Error err;
    Column column = {0};
    Table table, *list[] = {&table};
    TableRows rows;
    Report report;
    RenderOptions options = {.theme = demo_theme(), .mode = THEME_AUTO, .image_suffix = ".png"};
    fill_table(&table, &rows, &column, name, arena);
    Scene scene = draw(name, arena);
    fill_report(&report, name, &table, &scene, arena);
    for (size_t i = 0; renderers[i]; i++) {
        const Renderer *renderer = renderers[i];
        bool picture_file =
            strcmp(renderer->name, "png") == 0 || strcmp(renderer->name, "pdf") == 0;
        bool book = strcmp(renderer->name, "xlsx") == 0;
        if (renderer->write_scene && !picture_file) {
            Sink *sink = sink_memory(arena);
            demand(renderer->write_scene(&scene, &options, sink, &err));
            Str bytes = end(sink);
            if (strcmp(renderer->name, "svg") == 0)
                check_markup(bytes, arena);
        }
        if (renderer->write_report && !book) {
            Sink *sink = sink_memory(arena);
            demand(renderer->write_report(&report, &options, sink, &err));
            Str bytes = end(sink);
            if (strcmp(renderer->name, "html") == 0)
                check_page(bytes);
        }
        if (renderer->write_tables) {
            Sink *sink = sink_memory(arena);
            demand(renderer->write_tables(list, 1, &options, sink, &err));
            end(sink);
        }
    }
    free((void *)name.data);
    arena_release(arena);
    return 0;
}
