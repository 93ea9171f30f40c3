// SPDX-License-Identifier: Apache-2.0
// Which comparison of curves decides.
#include "trend/curves/judge_curves.h"

// From bad to good, as far as the verdict is concerned.
static int severity(const CurveComparison *comparison)
{
    static const int ranks[] = {
        [FINDING_DIVERGING] = 5,  [FINDING_OFFSET] = 4,      [FINDING_OUTSIDE] = 4,
        [FINDING_BORDERLINE] = 2, [FINDING_CANNOT_TELL] = 1, [FINDING_WITHIN] = 0,
    };
    return ranks[comparison->finding] + (comparison->beyond ? 10 : 0);
}

const CurveComparison *curves_deciding(const CurveFindings *report)
{
    const CurveComparison *found = NULL;
    for (size_t i = 0; i < report->count; i++) {
        const CurveComparison *at = &report->items[i];
        bool loss = at->judged;
        bool found_loss = found && found->judged;
        if (!found || (at->beyond && !found->beyond) ||
            (at->beyond == found->beyond && loss && !found_loss) ||
            (at->beyond == found->beyond && loss == found_loss && severity(at) > severity(found)))
            found = at;
    }
    return found;
}

bool curves_norms_off(const CurveFindings *report)
{
    for (size_t i = 0; i < report->norms.count; i++)
        if (report->norms.items[i].problem)
            return true;
    return false;
}

bool curves_beyond(const CurveFindings *report)
{
    if (curves_norms_off(report))
        return true;
    for (size_t i = 0; i < report->count; i++)
        if (report->items[i].beyond)
            return true;
    return false;
}
