// SPDX-License-Identifier: Apache-2.0
#include "report/compare/mermaid_text.h"

#include "check.h"
#include "demo.h"

static void what_mermaid_would_read_is_escaped(void)
{
    Arena *arena = arena_new();
    CHECK_TEXT(mermaid_label(STR("linear.8 = 2.9e-05"), arena), "linear.8 = 2.9e-05");
    CHECK_TEXT(mermaid_label(STR("a\"]; click n0 `b` <c> #d;"), arena),
               "a#34;#93;#59; click n0 #96;b#96; #60;c#62; #35;d#59;");
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        Str label = mermaid_label(str_of(hostile_names[i]), arena);
        for (size_t k = 0; k < label.size; k++)
            CHECK(!strchr("\"`<>[](){}|\n&%", label.data[k]));
    }
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(what_mermaid_would_read_is_escaped);
    return CHECK_RESULT;
}
