// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_KIT_PRINT_H
#define VERNIER_REPORT_KIT_PRINT_H

#include "scene/report.h"

// A report as pages of paper (A4 upright): the first page, the others after it by `next`. Figures
// are scaled down to the width of the text and the height of a page, never cropped; tables go on
// over pages with their head repeated. Folded parts stand open.
Scene *print_report(const Report *report, Arena *arena);

#endif
