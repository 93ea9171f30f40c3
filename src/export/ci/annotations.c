// SPDX-License-Identifier: Apache-2.0
// A run's findings as workflow commands of GitHub Actions.
#include "base/utf8.h"
#include "export/ci/ci_report.h"

// The escapes of actions/toolkit, packages/core/src/command.ts: a property knows two more.
static void write_escaped(Sink *out, Str text, bool property, Arena *arena)
{
    Str shown = utf8_display(text, arena);
    for (size_t i = 0; i < shown.size; i++) {
        char c = shown.data[i];
        bool escaped = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        if (escaped)
            sink_printf(out, "%%%02X", (unsigned)c);
        else
            sink_write(out, &c, 1);
    }
}

void annotations_write(const CiOutcome *report, Sink *out)
{
    Arena *scratch = arena_new();
    for (size_t i = 0; i < report->findings.count; i++) {
        const CiFinding *finding = &report->findings.items[i];
        sink_printf(out, "::%s title=vernier %s", finding->error ? "error" : "warning",
                    report->command);
        if (finding->file.size) {
            sink_text(out, ",file=");
            write_escaped(out, finding->file, true, scratch);
            sink_printf(out, ",line=%lld", (long long)finding->line);
        }
        sink_text(out, "::");
        write_escaped(out, finding->message, false, scratch);
        sink_text(out, "\n");
    }
    arena_release(scratch);
}
