// SPDX-License-Identifier: Apache-2.0
#include "export/ci/check_ci.h"

#include "base/array.h"
#include "base/words.h"
#include "export/ci/xml_text.h"

static Str message_of(const LawResult *law, Arena *arena)
{
    const LawBreak *first = &law->breaks[0];
    Str where = check_place(first, arena);
    return str_printf(arena, "%s: " STR_FMT "%s" STR_FMT " (" STR_FMT ")", tr(law->texts.broken),
                      STR_ARG(first->what), first->what.size ? ", " : "", STR_ARG(first->text),
                      STR_ARG(where));
}

void check_ci_collect(const CheckView *view, Arena *arena, CiOutcome *out)
{
    for (size_t i = 0; i < view->results->count; i++) {
        const LawResult *law = &view->results->items[i];
        if (law->state != LAW_BROKEN)
            continue;
        CiFinding *finding = ARRAY_PUSH(arena, &out->findings);
        *finding = (CiFinding){.error = true,
                               .rule = law->law->name,
                               .message = message_of(law, arena),
                               .place = law->breaks[0].what};
        finding->key = str_printf(arena, "%s " STR_FMT, law->law->name, STR_ARG(finding->place));
    }
}

static void write_case(const Xml *xml, const LawResult *law)
{
    sink_text(xml->out, "    <testcase");
    xml_attribute(xml, "name", str_of(law->law->name));
    xml_attribute(xml, "classname", STR("check"));
    if (law->state == LAW_HOLDS && !law->open) {
        sink_text(xml->out, "/>\n");
        return;
    }
    if (law->state == LAW_HOLDS) {
        sink_text(xml->out, ">\n      <system-out>");
        xml_text(xml, law->why);
        sink_text(xml->out, "</system-out>\n    </testcase>\n");
        return;
    }
    bool broken = law->state == LAW_BROKEN;
    sink_text(xml->out, broken ? ">\n      <failure" : ">\n      <skipped");
    xml_attribute(xml, "message", broken ? message_of(law, xml->arena) : law->why);
    if (!broken) {
        sink_text(xml->out, "/>\n    </testcase>\n");
        return;
    }
    sink_text(xml->out, " type=\"broken\">");
    for (size_t i = 0; i < law->break_count; i++) {
        const LawBreak *it = &law->breaks[i];
        xml_text(xml, str_printf(xml->arena, STR_FMT ": " STR_FMT " " STR_FMT,
                                 STR_ARG(check_place(it, xml->arena)), STR_ARG(it->what),
                                 STR_ARG(it->text)));
        sink_text(xml->out, "\n");
    }
    sink_text(xml->out, "</failure>\n    </testcase>\n");
}

// What no case of an invariant says: nothing could be checked, or part of an input was not read.
// Where something is broken the suite fails without it.
static bool is_error(const CheckView *view)
{
    const size_t *states = view->results->states;
    return !states[LAW_BROKEN] && (view->verdict.partial || !states[LAW_HOLDS]);
}

static void write_error(const Xml *xml, Str sentence)
{
    sink_text(xml->out, "    <testcase name=\"check\" classname=\"check\">\n      <error");
    xml_attribute(xml, "message", sentence);
    sink_text(xml->out, "/>\n    </testcase>\n");
}

void check_junit_write(const CheckView *view, Sink *out)
{
    Xml xml = {out, arena_new()};
    const size_t *states = view->results->states;
    sink_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    xml_attribute(&xml, "name", STR("vernier check"));
    xml_number(&xml, "tests", view->results->count + is_error(view));
    xml_number(&xml, "failures", states[LAW_BROKEN]);
    xml_number(&xml, "errors", is_error(view));
    xml_number(&xml, "skipped", states[LAW_UNKNOWN] + states[LAW_SKIPPED]);
    sink_text(out, ">\n    <properties>\n      <property name=\"verdict\"");
    xml_attribute(&xml, "value", view->verdict.sentence);
    sink_text(out, "/>\n    </properties>\n");
    if (is_error(view))
        write_error(&xml, view->verdict.sentence);
    for (size_t i = 0; i < view->results->count; i++)
        write_case(&xml, &view->results->items[i]);
    sink_text(out, "  </testsuite>\n</testsuites>\n");
    arena_release(xml.arena);
}
