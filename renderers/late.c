// SPDX-License-Identifier: Apache-2.0
#include "renderers/late.h"

#ifdef VERNIER_LATE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct LateDrawing drawing;
static struct LateWorkbook workbook;

static void load(const char *library, const char *const *names, size_t count, void *table)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < count; i++) {
        void *function = handle ? dlsym(handle, names[i]) : NULL;
        if (!function) {
            fprintf(stderr, "vernier: %s\n", dlerror());
            exit(3);  // as where memory is short
        }
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
    }
}

static void load_drawing(void)
{
    static const char *const names[] = {LATE_DRAWING_NAMES};
    load(LATE_DRAWING_LIBRARY, names, sizeof names / sizeof *names, &drawing);
}

static void load_workbook(void)
{
    static const char *const names[] = {LATE_WORKBOOK_NAMES};
    load(LATE_WORKBOOK_LIBRARY, names, sizeof names / sizeof *names, &workbook);
}

const struct LateDrawing *late_drawing(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_drawing);
    return &drawing;
}

const struct LateWorkbook *late_workbook(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_workbook);
    return &workbook;
}
#endif
