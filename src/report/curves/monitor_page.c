// SPDX-License-Identifier: Apache-2.0
#include "report/curves/monitor_page.h"

#include "base/words.h"
#include "report/history/history_page.h"
#include "report/kit/sections.h"
#include "trend/monitor/alarm_recorded.h"

enum {
    PAGE_ALARMS = 200,
    TICKET_ALARMS = 12,
    PAGE_MISSING = 200,
    TICKET_MISSING = 12,
    PAGE_FIGURE_BYTES = 1500000
};

static const MonitorFigure *main_figure(const MonitorFigures *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        if (figures->items[i].main)
            return &figures->items[i];
    return figures->count ? &figures->items[0] : NULL;
}

// The ratio of the two runs for the type that is seen first.
static const MonitorFigure *ratio_figure(const MonitorPage *page)
{
    const MonitorFigure *main = main_figure(page->figures);
    for (size_t i = 0; main && i < page->figures->count; i++)
        if (page->figures->items[i].kind == FIGURE_RATIO &&
            str_equal(page->figures->items[i].type, main->type))
            return &page->figures->items[i];
    return NULL;
}

static Str figure_caption(const MonitorFigure *figure, Arena *arena)
{
    if (figure->run.size == 0)
        return figure->heading;
    return str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(figure->run), STR_ARG(figure->heading));
}

// The stack of the module that the first alarm is about, as the monitor wrote it.
static void add_stack(const MonitorPage *page, Report *out)
{
    for (size_t v = 0; v < page->views->count; v++) {
        const MonitorView *view = &page->views->items[v];
        const Alarm *first = alarms_first(&view->alarms);
        const MonitorStack *stack = alarm_stack(&view->stacks, first);
        if (!stack)
            continue;
        report_heading(out, 2, "stack", str_of(tr("Call stack of the first alarm")), stack->module);
        report_code(out, stack->text);
        return;
    }
}

static void add_alarms(const MonitorPage *page, size_t limit, Arena *arena, Report *out)
{
    Table *alarms = monitor_table_first_alarms(page->views, limit, arena);
    if (alarms->row_count == 0)
        return;
    report_heading(out, 2, "alarms", str_of(tr("Alarms")),
                   str_of(tr("in order of execution; weak ones last")));
    report_table(out, alarms);
}

// About what a picture takes in the page: the page as a whole stays below 2 MB.
static size_t figure_bytes(const Scene *scene)
{
    size_t bytes = 0;
    for (size_t i = 0; i < scene->count; i++) {
        const Item *item = &scene->items[i];
        bytes += 110 + item->title.size;
        if (item->kind == ITEM_PATH)
            bytes += 12 * item->as.path.count;
    }
    return bytes;
}

static void add_figures(const MonitorPage *page, Arena *arena, Report *out)
{
    const MonitorFigure *main = main_figure(page->figures), *ratio = ratio_figure(page);
    size_t left_out = 0, bytes = (main ? figure_bytes(main->scene) : 0) +
                                 (ratio ? figure_bytes(ratio->scene) : 0);
    for (size_t i = 0; i < page->figures->count; i++) {
        const MonitorFigure *figure = &page->figures->items[i];
        if (figure == main || figure == ratio)
            continue;
        if (bytes + figure_bytes(figure->scene) > PAGE_FIGURE_BYTES) {
            left_out++;
            continue;
        }
        bytes += figure_bytes(figure->scene);
        report_details(out, figure_caption(figure, arena));
        report_figure(out, figure->scene, figure->file, STR(""));
        report_end(out);
    }
    if (left_out)
        report_text(out, str_printf(arena,
                                    tr_count(left_out, "%zu more picture is next to this page.",
                                             "%zu more pictures are next to this page."),
                                    left_out));
}

static void add_differences(const MonitorPage *page, size_t missing_max, Arena *arena, Report *out)
{
    if (!page->differences)
        return;
    report_heading(out, 2, "difference", str_of(tr("Target over golden")),
                   str_of(tr("names paired from their layer on")));
    const MonitorFigure *figure = ratio_figure(page);
    if (figure)
        report_figure(out, figure->scene, figure->file, figure->heading);
    report_table(out, monitor_table_differences(page->differences, arena));
    Table *missing = monitor_table_missing(page->views, page->differences, missing_max, arena);
    if (!missing)
        return;
    report_heading(out, 3, "missing", str_of(tr("Only in one run")), STR(""));
    report_table(out, missing);
}

void monitor_page(const MonitorPage *page, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (page->title.size)
        report_text(out, page->title);
    report_verdict(out, page->verdict);
    out->title = page->title.size ? page->title : page->verdict->sentence;
    history_report_news(page->history, arena, out);
    const MonitorFigure *main = main_figure(page->figures);
    if (main) {
        report_heading(out, 2, "map", figure_caption(main, arena), STR(""));
        report_figure(out, main->scene, main->file, STR(""));
    }
    add_alarms(page, PAGE_ALARMS, arena, out);
    add_stack(page, out);
    add_differences(page, PAGE_MISSING, arena, out);
    report_heading(out, 2, "maps", str_of(tr("All maps")), STR(""));
    add_figures(page, arena, out);
    history_report_trends(page->history, HISTORY_PAGE_TRENDS, arena, out);
    report_heading(out, 2, "runs", str_of(tr("What was read")), STR(""));
    report_table(out, monitor_table_runs(page->views, arena));
    section_problems(out, "problems", tr("Problems with the input"), page->notices);
    report_heading(out, 2, "rules", str_of(tr("Rules")), STR(""));
    report_table(out, monitor_table_rules(page->views, arena));
    report_footer(out, str_printf(arena, "vernier %s", page->version));
}

void monitor_ticket(const MonitorPage *page, Arena *arena, Report *out)
{
    report_init(out, arena);
    report_verdict(out, page->verdict);
    out->title = page->title.size ? page->title : page->verdict->sentence;
    history_report_news(page->history, arena, out);
    const MonitorFigure *main = main_figure(page->figures);
    if (main)
        report_figure(out, main->scene, main->file, figure_caption(main, arena));
    add_alarms(page, TICKET_ALARMS, arena, out);
    add_stack(page, out);
    add_differences(page, TICKET_MISSING, arena, out);
    history_report_trends(page->history, HISTORY_TICKET_TRENDS, arena, out);
    report_heading(out, 2, "runs", str_of(tr("What was read")), STR(""));
    report_table(out, monitor_table_runs(page->views, arena));
    section_problems(out, "problems", tr("Problems with the input"), page->notices);
    report_footer(out, str_printf(arena, "vernier %s", page->version));
}
