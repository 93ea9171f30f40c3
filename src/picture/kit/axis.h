// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_PICTURE_KIT_AXIS_H
#define VERNIER_PICTURE_KIT_AXIS_H

#include "scene/scene.h"

// An axis of a chart: from values to px, and ticks that people would choose
// (docs/spec/curves.md §6.2). Labels of one axis always differ.

typedef struct AxisTick {
    double value;
    Str label;    // empty: a tick without label
    bool decade;  // of a log axis: shown as a power of ten, `exponent`
    int exponent;
} AxisTick;

typedef struct Axis {
    bool log;
    double low, high;  // of the values, low < high; both above 0 on a log axis
    double from, to;   // px of low and high
    AxisTick *ticks;   // within low … high, rising
    size_t count;
} Axis;

// A linear axis. A range of one value is widened around it; one that is not finite gives an axis
// without ticks. Ticks stand about `spacing` px apart, at 1, 2, 2.5 or 5 times a power of ten.
Axis axis_linear(double low, double high, double from, double to, double spacing, Arena *arena);

// A log axis over values above 0; falls back to axis_linear where the range has none. Decades are
// labelled, and where fewer than two fit also 2 and 5 or all.
Axis axis_log(double low, double high, double from, double to, double spacing, Arena *arena);

// An axis of whole numbers that ends exactly at first and last: steps. The first one has a label.
Axis axis_steps(int64_t first, int64_t last, double from, double to, double spacing, Arena *arena);

// The same for milliseconds: ticks at whole seconds, minutes, hours or days.
Axis axis_time(int64_t first, int64_t last, double from, double to, double spacing, Arena *arena);

// px of a value, beyond the ends where the value is.
double axis_at(const Axis *axis, double value);

// A step as an axis shows it: "1,500", "25k", "1.5M".
Str axis_step_label(int64_t step, Arena *arena);

// A time since a start, in ms: "0", "1.25s", "2m 30s", "1d 6h".
Str axis_time_label(int64_t ms, Arena *arena);

#endif
