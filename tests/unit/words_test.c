// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include "check.h"

static Str shown(uint64_t count)
{
    return str_of(tr_count(count, "%zu rank", "%zu ranks"));
}

static void one_of_a_kind_has_its_own_text(void)
{
    CHECK_TEXT(shown(0), "%zu ranks");
    CHECK_TEXT(shown(1), "%zu rank");
    CHECK_TEXT(shown(2), "%zu ranks");
    CHECK_TEXT(shown(UINT64_MAX), "%zu ranks");
}

static void both_texts_are_translated(void)
{
    words_use(LANG_ZH, STR("en: %zu rank\nzh: 一个 %zu\nen: %zu ranks\nzh: 多个 %zu\n"));
    CHECK_TEXT(shown(1), "一个 %zu");
    CHECK_TEXT(shown(3), "多个 %zu");
    words_use(LANG_EN, STR(""));
    CHECK_TEXT(shown(3), "%zu ranks");
}

int main(void)
{
    CHECK_RUN(one_of_a_kind_has_its_own_text);
    CHECK_RUN(both_texts_are_translated);
    return CHECK_RESULT;
}
