// SPDX-License-Identifier: Apache-2.0
#include "renderers/jira.h"

#include "check.h"

static void what_jira_would_read_is_escaped(void)
{
    static const char *const pairs[][2] = {{"Tensor.mul_.26 2.9e-05", "Tensor.mul_.26 2.9e-05"},
                                           {"_a_ -b- a--b", "\\_a_ \\-b- a\\-\\-b"},
                                           {"[x|http://y]", "\\[x\\|http&#58;//y\\]"},
                                           {"{noformat}*b*", "\\{noformat\\}\\*b\\*"},
                                           {"a\\\\b <c>", "a&#92;&#92;b &#60;c&#62;"},
                                           {"(x) (norm rel. diff 0)", "&#40;x) (norm rel. diff 0)"},
                                           {"h1. a\nbq. b", "h1&#46; a bq. b"}};
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK_TEXT(jira_escape(str_of(pairs[i][0]), arena), pairs[i][1]);
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(what_jira_would_read_is_escaped);
    return CHECK_RESULT;
}
