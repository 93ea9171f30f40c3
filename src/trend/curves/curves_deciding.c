// SPDX-License-Identifier: Apache-2.0
// Which comparison of curves decides.
#include "trend/curves/judge_curves.h"

#include <math.h>

// From bad to good, as far as the verdict is concerned.
static int severity(const CurveComparison *comparison)
{
    static const int ranks[] = {
        [FINDING_DIVERGING] = 5,  [FINDING_OFFSET] = 4,      [FINDING_OUTSIDE] = 4,
        [FINDING_BORDERLINE] = 2, [FINDING_CANNOT_TELL] = 1, [FINDING_WITHIN] = 0,
    };
    return ranks[comparison->finding] + (comparison->beyond ? 10 : 0);
}

// How far the target is from golden, in units of the series: what its sentence tells first.
static double distance(const CurveComparison *comparison)
{
    bool late = comparison->finding == FINDING_DIVERGING || comparison->finding == FINDING_OFFSET;
    if (comparison->stats.one_sided)
        return (double)INFINITY;
    return late ? fabs(comparison->band.late_mean) : comparison->stats.mae;
}

// Of targets that are equally bad the one that is farthest away speaks, not the one named first.
static bool is_worse(const CurveComparison *at, const CurveComparison *found)
{
    int difference = severity(at) - severity(found);
    if (at->exact_off && found->exact_off)
        return at->pair.x[at->first_difference] < found->pair.x[found->first_difference];
    if (at->gravity > 0 && found->gravity > 0 && !str_equal(at->series, found->series))
        return at->gravity > found->gravity;
    if (difference || !str_equal(at->series, found->series))
        return difference > 0;
    return distance(at) > distance(found);
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
            (at->beyond == found->beyond && loss == found_loss && is_worse(at, found)))
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
