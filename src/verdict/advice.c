// SPDX-License-Identifier: Apache-2.0
#include "verdict/advice.h"

#include "base/words.h"

static const struct {
    const char *kind, *text;
} advice[] = {
    {"output", TR("the kernel of this op: precision, algorithm, a defect")},
    {"argument", TR("the code or configuration that sets this argument")},
    {"parameter", TR("checkpoint, initialisation, conversion of this weight")},
    {"input", TR("the data, or an op before this one that was not dumped")},
    {"missing", TR("the model code of the two runs around this op")},
};

const char *advice_of(Str kind)
{
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (str_equal(kind, str_of(advice[i].kind)))
            return tr(advice[i].text);
    return NULL;
}
