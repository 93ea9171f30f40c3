// SPDX-License-Identifier: Apache-2.0
// A ladder of configurations, from simple to the real one: the first that differs from its golden
// run, and the setting that no rung that agrees has.
#include "commands/study/stage_ladder.h"

#include "base/file.h"
#include "base/words.h"
#include "commands/machinery/commands.h"
#include "report/kit/cell.h"
#include "report/kit/columns.h"

typedef struct Rung {
    const StudyRung *plan;
    StageStatus status;
    bool unreadable;
    Str text;  // the verdict, or why there is none
} Rung;

static void run_rung(StageWork *work, Rung *rung)
{
    Product product;
    StageCall call;
    const Str *sides = rung->plan->sides;
    if (!sides[0].size || !sides[1].size) {
        rung->text = str_of(tr("not run yet"));
        return;
    }
    stage_begin(work, &curves_command, &call);
    for (int side = 0; side < 2; side++)
        stage_value(work, &call, side ? "target" : "golden",
                    str_printf(work->arena, STR_FMT "=" STR_FMT, STR_ARG(work->plan->names[side]),
                               STR_ARG(sides[side])));
    bool made = stage_compute(work, &call, &product);
    if (product.notices)
        notices_join(work->notices, product.notices);
    rung->unreadable = !made || product.status == PRODUCT_NOTHING;
    rung->text = made ? str_printf(work->arena, STR_FMT " " STR_FMT, STR_ARG(product.verdict.word),
                                   STR_ARG(str_trim(product.verdict.rest)))
                      : str_copy(work->arena, str_of(product.err->text));
    rung->status = rung->unreadable                    ? STAGE_NOT_DONE
                   : product.status == PRODUCT_DIFFERS ? STAGE_FAILED
                                                       : STAGE_PASSED;
    if (!made)
        notices_partial(work->notices, NOWHERE, tr("experiment " STR_FMT ": " STR_FMT),
                        STR_ARG(rung->plan->name), STR_ARG(rung->text));
    work->out->partial = work->out->partial || rung->unreadable || product.verdict.partial;
    product_release(&product);
}

static Str setting_of(const StudyRung *rung, Str key)
{
    for (size_t i = 0; i < rung->settings.count; i++)
        if (str_equal(rung->settings.items[i].key, key))
            return rung->settings.items[i].value;
    return STR("");
}

static size_t distance(const StudyRung *a, const StudyRung *b)
{
    size_t differ = 0;
    for (size_t i = 0; i < a->settings.count; i++)
        differ += !str_equal(a->settings.items[i].value, setting_of(b, a->settings.items[i].key));
    return differ;
}

// The rung that agrees and has the fewest other settings; NULL: none agrees.
static const Rung *nearest(const Rung *rungs, size_t count, const Rung *failed)
{
    const Rung *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (rungs[i].status == STAGE_PASSED &&
            (!best || distance(failed->plan, rungs[i].plan) < distance(failed->plan, best->plan)))
            best = &rungs[i];
    return best;
}

static void name_changes(const Rung *failed, const Rung *near, StrBuf *out)
{
    size_t named = 0;
    for (size_t i = 0; near && i < failed->plan->settings.count; i++) {
        StudySetting setting = failed->plan->settings.items[i];
        Str other = setting_of(near->plan, setting.key);
        if (str_equal(setting.value, other))
            continue;
        strbuf_add(out, named++ ? str_of(tr(", ")) : STR(" ("));
        strbuf_printf(out, tr(STR_FMT " " STR_FMT ", not " STR_FMT), STR_ARG(setting.key),
                      STR_ARG(setting.value), STR_ARG(other));
    }
    if (named)
        strbuf_printf(out, tr(" as " STR_FMT ", which agrees)"), STR_ARG(near->plan->name));
}

static void name_all(const Rung *rungs, size_t count, StageStatus status, const char *label,
                     StrBuf *out)
{
    size_t named = 0;
    for (size_t i = 0; i < count; i++)
        if (rungs[i].status == status) {
            strbuf_printf(out, "%s", named++ ? tr(", ") : label);
            strbuf_add(out, rungs[i].plan->name);
        }
}

static Str sum_up(const Rung *rungs, size_t count, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    size_t passed = 0, failed = count;
    for (size_t i = 0; i < count; i++) {
        passed += rungs[i].status == STAGE_PASSED;
        failed = failed == count && rungs[i].status == STAGE_FAILED ? i : failed;
    }
    if (failed < count) {
        strbuf_printf(&text, tr(STR_FMT ", %zu of %zu"), STR_ARG(rungs[failed].plan->name),
                      failed + 1, count);
        name_changes(&rungs[failed], nearest(rungs, count, &rungs[failed]), &text);
        strbuf_printf(&text, tr(": " STR_FMT), STR_ARG(rungs[failed].text));
    } else {
        strbuf_printf(&text, tr("%zu of %zu agree"), passed, count);
    }
    name_all(rungs, count, STAGE_PASSED, failed < count ? tr("; agree: ") : ": ", &text);
    name_all(rungs, count, STAGE_NOT_DONE, tr("; to run next: "), &text);
    return strbuf_str(&text);
}

static void rung_columns(Row *row)
{
    static const char *const words[] = {TR("not done"), TR("passed"), TR("failed")};
    static const CellStyle styles[] = {STYLE_NO_DATA, STYLE_PASS, STYLE_ERROR};
    const Rung *rung = row->item;
    StrBuf settings = strbuf_new(row->arena);
    for (size_t i = 0; row->cells && i < rung->plan->settings.count; i++)
        strbuf_printf(&settings, "%s" STR_FMT " " STR_FMT, i ? ", " : "",
                      STR_ARG(rung->plan->settings.items[i].key),
                      STR_ARG(rung->plan->settings.items[i].value));
    TEXT(row, TR("Experiment"), 24, cell_strong(rung->plan->name));
    TEXT(row, TR("Settings"), 40, cell_text(strbuf_str(&settings)));
    TEXT(row, TR("Result"), 12, cell_styled(styles[rung->status], str_of(tr(words[rung->status]))));
    TEXT(row, TR("What decided"), 70, cell_text(rung->text));
}

void study_ladder_of_configurations(StageWork *work)
{
    size_t count = work->plan->rungs.count, passed = 0, failed = 0;
    Rung *rungs = ARENA_ARRAY(work->arena, Rung, count + 1);
    for (size_t i = 0; i < count; i++) {
        rungs[i] = (Rung){.plan = &work->plan->rungs.items[i]};
        run_rung(work, &rungs[i]);
        passed += rungs[i].status == STAGE_PASSED;
        failed += rungs[i].status == STAGE_FAILED;
    }
    Table **tables = ARENA_ARRAY(work->arena, Table *, 1);
    tables[0] = COLUMNS_TABLE(TR("Experiments"), rung_columns, NULL, rungs, count, work->arena);
    work->out->number = sum_up(rungs, count, work->arena);
    work->out->tables = tables;
    work->out->table_count = 1;
    work->out->status = failed ? STAGE_FAILED : STAGE_PASSED;
    if (failed + passed == 0)
        stage_give_up(work, work->out->partial, work->out->number);
}
