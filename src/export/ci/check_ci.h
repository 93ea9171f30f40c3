// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_CI_CHECK_CI_H
#define VERNIER_EXPORT_CI_CHECK_CI_H

#include "export/ci/ci_report.h"
#include "verdict/check_verdict.h"

// What `vernier check` says to CI systems.

// A finding for each invariant that is broken.
void check_ci_collect(const CheckView *view, Arena *arena, CiOutcome *out);

// JUnit XML: a case an invariant; one that cannot be checked, or is not to be, is skipped with its
// reason.
void check_junit_write(const CheckView *view, Sink *out);

#endif
