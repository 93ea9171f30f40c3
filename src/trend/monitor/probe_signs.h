// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TREND_MONITOR_PROBE_SIGNS_H
#define VERNIER_TREND_MONITOR_PROBE_SIGNS_H

#include "read/log/grad_probe.h"

// The comparison of two gradient probes (docs/spec/curves.md §1.10): of every parameter, step and
// rank the share of elements whose gradient has the same sign in both runs, as the probe's own
// comparison writes it into similarities.csv; and for each rank and step the mean over all
// parameters, weighted by their elements and named "summary". Parameters of other shapes and files
// that hold no signs give notices. Steps and ranks are those that both runs have.
void probe_signs_compare(const MonitorSides *golden, const MonitorSides *target, Arena *arena,
                         ProbeValues *out, Notices *notices);

#endif
