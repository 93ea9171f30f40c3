// SPDX-License-Identifier: Apache-2.0
#include "read/precheck/comparison_result.h"

// In the order in which a file is asked.
static const struct {
    bool (*is)(Str bytes);
    ComparisonReader *read;
    PrecheckKind kind;
} forms[] = {
    {comparator_report_is, comparator_report_read, PRECHECK_COMPARATOR},
    {comparison_database_is, comparison_database_read, PRECHECK_COMPARED},
    {comparison_weights_are, comparison_json_read, PRECHECK_COMPARED},
    {comparison_records_are, comparison_records_read, PRECHECK_COMPARED},
    {comparison_scores_are, comparison_json_read, PRECHECK_SCORES},
    {comparison_summary_is, comparison_summary_read, PRECHECK_SCORES},
    {checksum_list_is, checksum_list_read, PRECHECK_CHECKSUMS},
    {comparison_table_is, comparison_table_read, PRECHECK_COMPARED},
    {comparison_lines_is, comparison_lines_read, PRECHECK_COMPARED},
};
enum { FORMS = sizeof forms / sizeof *forms };

static size_t form_of(Str bytes)
{
    size_t form = 0;
    while (form < FORMS && !forms[form].is(bytes))
        form++;
    return form;
}

PrecheckKind comparison_kind(Str bytes)
{
    size_t form = form_of(bytes);
    return form < FORMS ? forms[form].kind : PRECHECK_KINDS;
}

bool comparison_read(const char *path, Str bytes, Arena *arena, Precheck *out, Notices *notices,
                     PrecheckKind *kind, bool *good, Error *err)
{
    size_t form = form_of(bytes);
    if (form == FORMS)
        return false;
    out->file_count++;
    *kind = forms[form].kind;
    *good = forms[form].read(path, bytes, arena, out, notices, err);
    return true;
}
