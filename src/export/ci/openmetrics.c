// SPDX-License-Identifier: Apache-2.0
// A run's state and numbers for a dashboard.
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "export/ci/ci_report.h"

static void write_label(Sink *out, const char *between, const char *name, Str value, Arena *arena)
{
    Str shown = utf8_display(value, arena);
    sink_printf(out, "%s%s=\"", between, name);
    for (size_t i = 0; i < shown.size; i++) {
        if (shown.data[i] == '"' || shown.data[i] == '\\')
            sink_text(out, "\\");
        sink_write(out, shown.data + i, 1);
    }
    sink_text(out, "\"");
}

static void write_head(Sink *out, const char *name, const char *help)
{
    sink_printf(out, "# TYPE vernier_%s gauge\n# HELP vernier_%s %s\n", name, name, help);
}

static void write_measure(const CiOutcome *report, const CiMeasure *measure, Sink *out,
                          Arena *arena)
{
    char digits[NUMBER_BYTES];
    sink_printf(out, "vernier_%s", measure->name);
    write_label(out, "{", "command", str_of(report->command), arena);
    for (size_t i = 0; i < CI_LABELS && measure->labels[i].name; i++)
        write_label(out, ",", measure->labels[i].name, measure->labels[i].value, arena);
    number_python(measure->value, digits);
    sink_printf(out, "} %s\n", digits);
}

static void write_states(const CiOutcome *report, Sink *out, Arena *arena)
{
    static const char *const states[] = {"agrees", "differs", "nothing"};
    write_head(out, "verdict", "1 for what the run found: runs agree, differ, nothing compared.");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        CiMeasure state = {.name = "verdict",
                           .value = strcmp(states[i], report->state) == 0,
                           .labels = {{"state", str_of(states[i])}}};
        write_measure(report, &state, out, arena);
    }
    write_head(out, "partial", "1 if part of an input could not be read.");
    CiMeasure partial = {.name = "partial", .value = report->partial};
    write_measure(report, &partial, out, arena);
}

void openmetrics_write(const CiOutcome *report, Sink *out)
{
    Arena *scratch = arena_new();
    write_states(report, out, scratch);
    for (size_t i = 0; i < report->measures.count; i++) {
        const CiMeasure *measure = &report->measures.items[i];
        if (i == 0 || strcmp(measure[-1].name, measure->name) != 0)
            write_head(out, measure->name, measure->help);
        write_measure(report, measure, out, scratch);
    }
    sink_text(out, "# EOF\n");
    arena_release(scratch);
}
