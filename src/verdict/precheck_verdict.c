// SPDX-License-Identifier: Apache-2.0
#include "verdict/precheck_verdict.h"

#include "base/words.h"
#include "compare/precheck_ops.h"
#include "verdict/figure_text.h"
#include "verdict/sentence.h"

// "failed 3, warned 2, passed 115, skipped 1"
static Str counts(const Precheck *of, Arena *arena)
{
    static const struct {
        PrecheckStatus status;
        const char *text;
    } parts[] = {{PRECHECK_ERROR, TR("failed")},
                 {PRECHECK_WARNING, TR("warned")},
                 {PRECHECK_PASS, TR("passed")},
                 {PRECHECK_SKIPPED, TR("skipped")},
                 {PRECHECK_UNTOLD, TR("without a verdict")}};
    StrBuf out = strbuf_new(arena);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (of->counts[parts[i].status]) {
            strbuf_add(&out, out.size ? str_of(tr(", ")) : STR(""));
            strbuf_printf(&out, "%s " STR_FMT, tr(parts[i].text),
                          STR_ARG(figure_count(of->counts[parts[i].status], arena)));
        }
    return out.size ? strbuf_str(&out) : str_of(tr("no API has a status"));
}

void precheck_verdict(const Precheck *of, bool partial, Arena *arena, Verdict *out)
{
    size_t told = of->count - of->counts[PRECHECK_UNTOLD] - of->counts[PRECHECK_SKIPPED];
    const PrecheckFinding *worst = told ? &of->items[0] : NULL;
    *out = (Verdict){.partial = partial, .joint = STR(" "), .context = counts(of, arena)};
    out->style = !told                          ? STYLE_NO_DATA
                 : of->counts[PRECHECK_ERROR]   ? STYLE_ERROR
                 : of->counts[PRECHECK_WARNING] ? STYLE_WARNING
                                                : STYLE_PASS;
    out->word = str_of(!told                          ? tr("NOT CHECKED")
                       : of->counts[PRECHECK_ERROR]   ? tr("FAILS")
                       : of->counts[PRECHECK_WARNING] ? tr("WARNS")
                                                      : tr("PASSES"));
    StrBuf rest = strbuf_new(arena);
    if (worst && worst->status >= PRECHECK_WARNING) {
        out->place = precheck_name(worst, arena);
        out->reason = precheck_reason(worst, arena);
        strbuf_add(&rest, out->place);
        if (out->reason.size)
            strbuf_printf(&rest, tr(": " STR_FMT), STR_ARG(out->reason));
        strbuf_add(&rest, str_of(tr(". ")));
    }
    if (worst && worst->status == PRECHECK_PASS && worst->size > 0)
        strbuf_printf(&rest, tr("largest difference: " STR_FMT ": " STR_FMT ". "),
                      STR_ARG(precheck_name(worst, arena)), STR_ARG(worst->message));
    strbuf_printf(&rest, tr(STR_FMT "."), STR_ARG(out->context));
    out->sentence = verdict_sentence(out, strbuf_str(&rest), arena);
}
