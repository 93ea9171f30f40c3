// SPDX-License-Identifier: Apache-2.0
#include "report/compare/weights_page.h"

#include "base/words.h"
#include "picture/overview/weights_picture.h"
#include "report/history/history_page.h"
#include "report/kit/sections.h"

// The page stays below 2 MB and the ticket below 60,000 bytes.
enum { PAGE_WEIGHTS = 2000, TICKET_WEIGHTS = 20 };

static void begin(const WeightsView *view, Str title, Arena *arena, Report *out)
{
    report_init(out, arena);
    out->title = title.size ? title : view->verdict->sentence;
    report_verdict(out, view->verdict);
    history_report_news(view->history, arena, out);
    if (view->picture) {
        report_heading(out, 2, "map", str_of(tr("Weights by kind and layer")), STR(""));
        report_figure(out, view->picture, STR("weights"), STR(""));
    }
    report_heading(out, 2, "checkpoints", str_of(tr("Checkpoints")), STR(""));
    report_table(out, weights_sides_table(view, arena));
    Table *forms = weights_forms_table(view->comparison, arena);
    if (!forms)
        return;
    report_heading(out, 2, "layout", str_of(tr("Names and layouts")),
                   str_of(tr("recognised by the values; one example each")));
    report_table(out, forms);
}

static void end(const WeightsView *view, size_t trends, Arena *arena, Report *out)
{
    history_report_trends(view->history, trends, arena, out);
    section_problems(out, "problems", tr("Problems while reading"), view->notices);
    report_footer(out, str_printf(arena, "vernier %s", view->version));
}

// How many rows of the table, which begins with them, are not simply equal.
static size_t count_telling(const WeightComparison *comparison)
{
    return comparison->count - comparison->status_counts[STATUS_SAME];
}

static void add_differing(const WeightsView *view, size_t limit, Arena *arena, Report *out)
{
    size_t telling = count_telling(view->comparison);
    if (telling == 0)
        return;
    report_heading(out, 2, "differences", str_of(tr("What differs")),
                   str_of(tr("the largest difference first")));
    report_table(out, weights_table(view->comparison, telling < limit ? telling : limit, arena));
    report_text(out, str_of(tr("Rel. norm is the difference of the two norms, rel. L2 the norm of "
                               "the difference, both relative to golden's norm.")));
}

void weights_page_build(const WeightsView *view, Str title, Arena *arena, Report *out)
{
    begin(view, title, arena, out);
    add_differing(view, PAGE_WEIGHTS, arena, out);
    report_details(
        out,
        str_printf(arena, tr_count(view->comparison->count, "The %zu weight", "All %zu weights"),
                   view->comparison->count));
    report_table(out, weights_table(view->comparison, PAGE_WEIGHTS, arena));
    report_end(out);
    end(view, HISTORY_PAGE_TRENDS, arena, out);
}

void weights_ticket_build(const WeightsView *view, Str title, Arena *arena, Report *out)
{
    begin(view, title, arena, out);
    add_differing(view, TICKET_WEIGHTS, arena, out);
    end(view, HISTORY_TICKET_TRENDS, arena, out);
}
