// SPDX-License-Identifier: Apache-2.0
#include "base/spelling.h"

#include <ctype.h>

enum { SPELLED = 96 };  // bytes of a name that count for its spelling

size_t spelling_distance(Str a, Str b)
{
    size_t row[SPELLED + 1];
    a.size = a.size < SPELLED ? a.size : SPELLED;
    b.size = b.size < SPELLED ? b.size : SPELLED;
    for (size_t k = 0; k <= b.size; k++)
        row[k] = k;
    for (size_t i = 1; i <= a.size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b.size; k++) {
            bool same =
                tolower((unsigned char)a.data[i - 1]) == tolower((unsigned char)b.data[k - 1]);
            size_t change = diagonal + !same, add = row[k - 1] + 1, leave = row[k] + 1;
            diagonal = row[k];
            row[k] = change < add ? change : add;
            row[k] = row[k] < leave ? row[k] : leave;
        }
    }
    return row[b.size];
}

// Two letters that changed places count as two.
Spelling spelling_of(Str typed)
{
    return (Spelling){.typed = typed, .best = {"", 0}, .distance = 2 + typed.size / 4};
}

void spelling_offer(Spelling *spelling, Str name)
{
    enum { BEGINNING = 3 };  // so many letters are enough to begin with
    bool begun = spelling->typed.size >= BEGINNING && str_starts(name, spelling->typed);
    size_t distance = begun ? 1 : spelling_distance(name, spelling->typed);
    if (distance >= spelling->distance || distance * 2 > name.size + 1)
        return;
    spelling->best = name;
    spelling->distance = distance;
}
