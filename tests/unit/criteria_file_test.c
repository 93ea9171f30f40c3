// SPDX-License-Identifier: Apache-2.0
#include "read/settings/criteria_file.h"

#include "check.h"
#include "temporary.h"

static Arena *arena;
static Notices notices;
static Error err;
static Criteria got;

static bool reads(const char *text)
{
    notices_init(&notices, arena);
    return criteria_read(temporary_file("read_criteria.yaml", text, strlen(text)), arena, &got,
                         &notices, &err);
}

static void the_documented_example_says_what_it_says(void)
{
    CHECK(reads("limits:\n  norm: {pass: 1e-4, warning: 1e-3}\n  mean: 0.01\n"
                "rules:\n"
                "  - ops: \"Functional.softmax.*\"\n    slots: \"output.*\"\n"
                "    limits:\n      norm: {pass: 1e-3, warning: 1e-2}\n"
                "    reason: \"the fused softmax sums in another order\"\n"
                "  - dtypes: [bfloat16, float16]\n    limits: {norm: 2e-2, max: 5e-2}\n"
                "  - ops: [\"Tensor.empty.*\", \"Torch.empty_like.*\"]\n    ignore: true\n"));
    Str op = STR("Functional.softmax.0.forward"), f32 = STR("torch.float32");
    const CriteriaRule *rule = criteria_limit(&got, CRITERIA_NORM, op, STR("output.0"), f32);
    CHECK(rule && rule->limits[CRITERIA_NORM].pass == 1e-3 && rule->reason.size > 0);
    rule = criteria_limit(&got, CRITERIA_NORM, op, STR("input.0"), f32);
    CHECK(rule && rule->limits[CRITERIA_NORM].warning == 1e-3);
    rule = criteria_limit(&got, CRITERIA_NORM, op, STR("output.0"), STR("BFloat16"));
    CHECK(rule && rule->limits[CRITERIA_NORM].pass == 1e-3);
    rule = criteria_limit(&got, CRITERIA_NORM, op, STR("output.0"), STR("torch.bfloat16"));
    CHECK(rule && rule->limits[CRITERIA_NORM].warning == 2e-2);
    CHECK(!criteria_limit(&got, CRITERIA_MAX, op, STR("output.0"), f32));
    CHECK(criteria_ignore(&got, STR("Tensor.empty.3.forward"), STR("output.0"), f32));
    CHECK(!criteria_ignore(&got, STR("Tensor.empty_like.3.forward"), STR("output.0"), f32));
}

static void a_later_rule_takes_an_ignore_back(void)
{
    CHECK(reads("rules:\n  - {ops: 'a.*', ignore: true}\n  - {ops: 'a.b.*', ignore: false}\n"));
    CHECK(criteria_ignore(&got, STR("a.c.0"), STR("x"), STR("y")) == &got.items[0]);
    CHECK(!criteria_ignore(&got, STR("a.b.0"), STR("x"), STR("y")));
}

static void mistakes_stop_the_run_with_their_line(void)
{
    static const struct {
        const char *text, *part;
        uint64_t line;
    } cases[] = {
        {"", "expected an object", 1},
        {"limits: {norm: 1}\nlimit: {norm: 1}\n", "'limit' is not known", 2},
        {"limits:\n  nrom: 1\n", "'nrom' is not known", 2},
        {"limits:\n  norm: '1'\n", "expected a number", 2},
        {"limits:\n  norm: -1\n", "not negative", 2},
        {"limits:\n  norm: {pass: 2, warning: 1}\n", "smaller than 'pass'", 2},
        {"limits:\n  norm: {pass: 2, error: 3}\n", "'error' is not known", 2},
        {"limits:\n  norm: {warning: 2}\n", "{pass: number", 2},
        {"rules:\n  - ops: a\n", "'limits' or 'ignore'", 2},
        {"rules:\n  - ignore: true\n", "ignores everything", 2},
        {"rules:\n  - {ops: [], ignore: true}\n", "is empty", 2},
        {"rules:\n  - {ops: a, ignore: yes please}\n", "true or false", 2},
        {"rules: a\n", "a list of rules", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(!reads(cases[i].text));
        CHECK(strstr(err.text, cases[i].part) && err.line == cases[i].line);
    }
}

static void patterns_fit_whole_names(void)
{
    CHECK(pattern_fits(STR("*"), STR("")) && pattern_fits(STR("a*c"), STR("abbc")));
    CHECK(!pattern_fits(STR("a*c"), STR("abbd")) && !pattern_fits(STR("b"), STR("abc")));
    CHECK(pattern_fits(STR("x|a?c"), STR("abc")) && !pattern_fits(STR(""), STR("a")));
    char text[4001], pattern[41];
    memset(text, 'a', 4000);
    text[4000] = 0;
    for (int i = 0; i < 20; i++)
        memcpy(pattern + 2 * i, "a*", 2);
    pattern[39] = 'b';
    pattern[40] = 0;
    CHECK(!pattern_fits(str_of(pattern), str_of(text)));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(the_documented_example_says_what_it_says);
    CHECK_RUN(a_later_rule_takes_an_ignore_back);
    CHECK_RUN(mistakes_stop_the_run_with_their_line);
    CHECK_RUN(patterns_fit_whole_names);
    arena_release(arena);
    return CHECK_RESULT;
}
