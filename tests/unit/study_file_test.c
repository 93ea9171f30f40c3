// SPDX-License-Identifier: Apache-2.0
#include "read/settings/study_file.h"

#include "base/sink.h"
#include "check.h"
#include "temporary.h"

static Arena *arena;
static Notices notices;
static Error err;
static StudyPlan plan;

static bool reads(const char *text)
{
    notices_init(&notices, arena);
    err = (Error){0};
    return study_read(temporary_file("study.yaml", text, strlen(text)), arena, &plan, &notices,
                      &err);
}

static void every_section_is_kept_with_its_values_and_lines(void)
{
    CHECK(reads("title: A case\n"
                "names: {golden: GPU, target: NPU}\n"
                "text: |\n  Some words.\n"
                "long_run:\n"
                "  golden: [a.log, b.log]\n"
                "  target: /logs/t.log\n"
                "  note: it drifts\n"
                "skip: {target: t.log, threshold: 3.5, count: }\n"
                "dumps:\n"));
    CHECK_TEXT(plan.title, "A case");
    CHECK_TEXT(plan.names[1], "NPU");
    CHECK_TEXT(plan.text, "Some words.\n");
    const StudySection *run = &plan.sections[STAGE_LONG_RUN];
    const StudyValue *golden = study_value(run, "golden");
    CHECK(run->given && run->line == 6 && golden && golden->count == 2 && golden->line == 6);
    CHECK_TEXT(golden->items[1], "b.log");
    CHECK_TEXT(study_value(run, "target")->items[0], "/logs/t.log");
    CHECK_TEXT(run->note, "it drifts");
    CHECK(run->complete);
    const StudySection *skip = &plan.sections[STAGE_SKIP];
    CHECK_TEXT(study_value(skip, "threshold")->items[0], "3.5");
    CHECK(study_value(skip, "count") == NULL);
    CHECK(!plan.sections[STAGE_DUMPS].given && plan.sections[STAGE_DUMPS].line == 10);
    CHECK(!plan.sections[STAGE_DUMPS].complete);
}

static void paths_start_at_the_folder_of_the_plan(void)
{
    CHECK(folder_make("cases", &err));
    static const char text[] = "long_run: {golden: a.log, target: /b.log}\ntext: words.md\n";
    static const char words[] = "# A heading\n";
    temporary_file("cases/study.yaml", text, sizeof text - 1);
    temporary_file("cases/words.md", words, sizeof words - 1);
    notices_init(&notices, arena);
    CHECK(study_read("cases/study.yaml", arena, &plan, &notices, &err));
    CHECK_TEXT(study_value(&plan.sections[STAGE_LONG_RUN], "golden")->items[0], "cases/a.log");
    CHECK_TEXT(study_value(&plan.sections[STAGE_LONG_RUN], "target")->items[0], "/b.log");
    CHECK_TEXT(plan.text, "# A heading\n");
    CHECK(reads("text: missing.md\ntitle: x\n"));
    CHECK(plan.text.size == 0 && notices_any_partial(&notices) && plan.title.size == 1);
}

static void what_is_wrong_is_told_with_its_line_and_what_is_known(void)
{
    static const struct {
        const char *text, *part;
        uint64_t line;
    } cases[] = {
        {"- a\n- b\n", "expected an object with a section for each stage", 1},
        {"", "expected an object with a section for each stage", 1},
        {"title: x\nlongrun: {}\n", "'longrun' is not known here; known are: title, names", 2},
        {"title: [x]\n", "expected a text", 1},
        {"names: GPU\n", "expected an object such as 'golden: GPU'", 1},
        {"names:\n  gold: GPU\n", "'gold' is not known here; known are: golden, target", 2},
        {"names:\n  golden: a=b\n", "expected a name of at most 60 bytes", 2},
        {"names:\n  golden: ''\n", "expected a name of at most 60 bytes", 2},
        {"long_run: a.log\n", "expected an object such as 'golden: path'", 1},
        {"long_run:\n  gold: a.log\n", "'gold' is not known here; known are: golden", 2},
        {"long_run:\n  golden: {a: b}\n", "expected a path", 2},
        {"long_run:\n  golden: ''\n", "expected a path", 2},
        {"long_run:\n  golden: []\n", "expected a path", 2},
        {"long_run:\n  golden: [a, [b]]\n", "expected a path", 2},
        {"monitor:\n  target: [a, b]\n", "expected one value, found a list", 2},
        {"skip:\n  threshold: many\n", "expected a number that is not negative", 2},
        {"skip:\n  threshold: -1\n", "expected a number that is not negative", 2},
        {"text: {a: b}\n", "expected Markdown, or the path of a .md file", 1},
        {"dumps:\n  note: [a]\n", "expected Markdown, or the path of a .md file", 2},
        {"title: x\n  y: z: w\n", "broken YAML", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!reads(cases[i].text));
        bool told = str_find(str_of(err.text), str_of(cases[i].part), 0) != SIZE_MAX;
        if (!told || err.line != cases[i].line)
            fprintf(stderr, "%zu: got '%s', line %d\n", i, err.text, (int)err.line);
        CHECK(told && err.line == cases[i].line && err.kind == ERR_INPUT);
        CHECK_TEXT(str_of(err.file), "study.yaml");
    }
    CHECK(!study_read("none.yaml", arena, &plan, &notices, &err) && err.kind == ERR_INPUT);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(every_section_is_kept_with_its_values_and_lines);
    CHECK_RUN(paths_start_at_the_folder_of_the_plan);
    CHECK_RUN(what_is_wrong_is_told_with_its_line_and_what_is_known);
    arena_release(arena);
    return CHECK_RESULT;
}
