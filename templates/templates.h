// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TEMPLATES_TEMPLATES_H
#define VERNIER_TEMPLATES_TEMPLATES_H

#include <stddef.h>

// The files of templates/, and the samples of `vernier init`, as compiled into the program.
// --templates DIR replaces them by name.
typedef struct Template {
    const char *name;  // "vernier.theme"; NULL ends the list
    const char *data;
    size_t size;
} Template;

extern const Template templates[];

#endif
