// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_LATE_H
#define VERNIER_RENDERERS_LATE_H

// Where the build asks for it (VERNIER_LATE), cairo, Pango and libxlsxwriter are loaded when one of
// their functions is first called: finding 40 libraries takes longer than most verdicts. The
// header that CMake makes of late.names includes theirs and lets each name stand for an entry of
// these tables; it comes before every file that calls one.
struct LateDrawing;
struct LateWorkbook;

// Ends the program where the library is missing, as the loader does at the start of others.
const struct LateDrawing *late_drawing(void);
const struct LateWorkbook *late_workbook(void);

#endif
