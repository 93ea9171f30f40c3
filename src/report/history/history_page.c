// SPDX-License-Identifier: Apache-2.0
#include "report/history/history_page.h"

#include "base/words.h"
#include "picture/kit/verdict_head.h"
#include "picture/overview/history_picture.h"
#include "report/history/history_tables.h"
#include "report/kit/sections.h"

enum { NEWS_ROWS = 8, TICKET_ROWS = 60 };

void history_report_news(const HistoryView *view, Arena *arena, Report *out)
{
    if (!view)
        return;
    report_heading(out, 2, "since-last-night", str_of(tr("Since the nightly run before")), STR(""));
    report_text(out, history_news_sentence(view, arena));
    Table *news = view->night ? history_table_of_news(view, NEWS_ROWS, arena) : NULL;
    if (news)
        report_table(out, news);
}

static void add_picture(const HistoryView *view, Str file, Arena *arena, Report *out)
{
    Scene *scene = ARENA_NEW(arena, Scene);
    if (!history_picture(view, arena, scene))
        return;
    picture_title(scene, history_news_sentence(view, arena), arena);
    report_figure(out, scene, file, STR(""));
}

void history_report_trends(const HistoryView *view, size_t limit, Arena *arena, Report *out)
{
    if (!view)
        return;
    report_heading(out, 2, "history", str_of(tr("History")), STR(""));
    add_picture(view, STR("history"), arena, out);
    Table *trends = history_table_of_trends(view, limit, arena);
    section_folded(out, str_of(tr("Trend of every figure")), trends);
}

// Every command has a chapter; a file with one command alone needs no heading for it.
static void add_view(const HistoryPage *page, size_t index, bool ticket, Arena *arena, Report *out)
{
    const HistoryView *view = &page->views[index];
    Str command = view->history->command;
    if (page->count > 1) {
        Str id = str_printf(arena, "command-%zu", index + 1);
        report_heading(out, 2, id.data, command, STR(""));
        report_text(out, history_news_sentence(view, arena));
    }
    Str file =
        page->count > 1 ? str_printf(arena, "history-" STR_FMT, STR_ARG(command)) : STR("history");
    add_picture(view, file, arena, out);
    Table *events = history_table_of_events(view, ticket ? TICKET_ROWS : 0, arena);
    int level = page->count > 1 ? 3 : 2;
    if (events) {
        report_heading(out, level, "", str_of(tr("Regressions and recoveries")), STR(""));
        report_table(out, events);
    }
    report_heading(out, level, "", str_of(tr("Nights")), STR(""));
    report_table(out, history_table_of_nights(view, ticket ? TICKET_ROWS : 0, arena));
    Table *trends =
        history_table_of_trends(view, ticket ? HISTORY_TICKET_TRENDS : HISTORY_PAGE_TRENDS, arena);
    if (trends->row_count) {
        report_heading(out, level, "", str_of(tr("Trend of every figure")), STR(""));
        report_table(out, trends);
    }
}

static void build(const HistoryPage *page, bool ticket, Arena *arena, Report *out)
{
    report_init(out, arena);
    if (page->title.size)
        report_text(out, page->title);
    report_verdict(out, page->verdict);
    section_problems(out, "problems", tr("Problems with the input"), page->notices);
    for (size_t i = 0; i < page->count; i++)
        add_view(page, i, ticket, arena, out);
    report_footer(out, str_printf(arena,
                                  tr("New: beyond tolerance, or worse than the last time it was "
                                     "seen. Nights without data are passed over. vernier %s."),
                                  page->version));
    if (page->title.size)
        out->title = page->title;
}

void history_page_build(const HistoryPage *page, Arena *arena, Report *out)
{
    build(page, false, arena, out);
}

void history_ticket_build(const HistoryPage *page, Arena *arena, Report *out)
{
    build(page, true, arena, out);
}
