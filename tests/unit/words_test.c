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

static void a_run_in_english_can_speak_the_other_language_for_a_while(void)
{
    words_use(LANG_EN, STR("en: %zu ranks\nzh: 多个 %zu\n"));
    for (int i = 0; i < 2; i++) {
        CHECK_TEXT(shown(3), "%zu ranks");
        words_speak(LANG_ZH);
        CHECK_TEXT(shown(3), "多个 %zu");
        words_speak(LANG_EN);
    }
}

int main(void)
{
    CHECK_RUN(one_of_a_kind_has_its_own_text);
    CHECK_RUN(both_texts_are_translated);
    CHECK_RUN(a_run_in_english_can_speak_the_other_language_for_a_while);
    return CHECK_RESULT;
}
