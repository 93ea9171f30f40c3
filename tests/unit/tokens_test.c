// SPDX-License-Identifier: Apache-2.0
#include "compare/match/tokens.h"

#include "base/file.h"
#include "check.h"
#include "npy_file.h"

static Arena *arena;
static Notices notices;
static Error err;

static TokensFact compare(const char *golden, const char *target)
{
    TokensFact fact;
    CHECK(tokens_compare(golden, target, arena, &fact, &notices, &err));
    return fact;
}

static void ids_of_every_width_are_compared_as_numbers(void)
{
    static const int64_t wide[] = {1, 50256, 3};
    static const uint64_t natural[] = {1, 50256, 3};
    static const int32_t usual[] = {1, 50256, 3};
    static const uint32_t unsigned_usual[] = {1, 50256, 3};
    static const uint16_t narrow[] = {1, 50256, 4};
    static const int16_t small[] = {1, -2, 3};
    static const int8_t tiny[] = {1, -2, 3};
    static const uint8_t bytes[] = {1, 254, 3};
    const char *golden = npy_file("a.npy", "<i8", "(3,)", wide, sizeof wide);
    const struct {
        const char *path;
        uint64_t different;
        int64_t largest, smallest;
    } cases[] = {
        {npy_file("b.npy", "<u8", "(3,)", natural, sizeof natural), 0, 50256, 1},
        {npy_file("c.npy", "<i4", "(3,)", usual, sizeof usual), 0, 50256, 1},
        {npy_file("d.npy", "<u4", "(3,)", unsigned_usual, sizeof unsigned_usual), 0, 50256, 1},
        {npy_file("e.npy", "<u2", "(3,)", narrow, sizeof narrow), 1, 50256, 1},
        {npy_file("f.npy", "<i2", "(3,)", small, sizeof small), 1, 50256, -2},
        {npy_file("g.npy", "|i1", "(3,)", tiny, sizeof tiny), 1, 50256, -2},
        {npy_file("h.npy", "|u1", "(3,)", bytes, sizeof bytes), 1, 50256, 1},
        {npy_file("i.npy", "<i4", "(1, 3, 1)", usual, sizeof usual), 0, 50256, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TokensFact fact = compare(golden, cases[i].path);
        CHECK(fact.files == 1 && fact.elements == 3 && fact.shape_differs == 0);
        CHECK(fact.different == cases[i].different);
        CHECK(fact.largest == cases[i].largest && fact.smallest == cases[i].smallest);
    }
    TokensFact first = compare(golden, "e.npy");
    CHECK(first.first_at == 2 && first.golden == 3 && first.target == 4);
    CHECK_TEXT(first.first_file, "e.npy");
}

static void a_difference_behind_the_first_block_is_named_by_its_element(void)
{
    enum { COUNT = 10000 };
    static int32_t ids[COUNT];
    for (int i = 0; i < COUNT; i++)
        ids[i] = i % 977;
    npy_file("long.npy", "<i4", "(10, 1000)", ids, sizeof ids);
    ids[9000]++;
    ids[9500] = -7;
    npy_file("changed.npy", "<i4", "(10, 1000)", ids, sizeof ids);
    TokensFact fact = compare("long.npy", "changed.npy");
    CHECK(fact.different == 2 && fact.first_at == 9000 && fact.golden == 9000 % 977);
    CHECK(fact.target == 9000 % 977 + 1 && fact.smallest == -7 && fact.largest == 976);
}

static void files_of_two_folders_pair_by_name(void)
{
    static const int32_t ids[] = {7, 8, 9, 10}, other[] = {7, 8, 9, 11};
    CHECK(folder_make("golden", &err) && folder_make("target", &err) && folder_make("none", &err));
    npy_file("golden/step0.npy", "<i4", "(4,)", ids, sizeof ids);
    npy_file("golden/step1.npy", "<i4", "(4,)", ids, sizeof ids);
    npy_file("golden/step2.npy", "<i4", "(4,)", ids, sizeof ids);
    npy_file("golden/step3.npy", "<i4", "(4,)", ids, sizeof ids);
    npy_file("golden/notes.txt", "<i4", "(4,)", ids, sizeof ids);
    npy_file("target/step0.npy", "<i4", "(4,)", ids, sizeof ids);
    npy_file("target/step1.npy", "<i4", "(2, 2)", ids, sizeof ids);
    npy_file("target/step2.npy", "<i4", "(4,)", other, sizeof other);
    npy_file("target/step8.npy", "<i4", "(4,)", other, sizeof other);
    npy_file("target/step9.npy", "<i4", "(4,)", other, sizeof other);
    TokensFact fact = compare("golden", "target");
    CHECK(fact.files == 3 && fact.elements == 12 && fact.shape_differs == 1);
    CHECK(fact.only[0] == 1 && fact.only[1] == 2);
    CHECK(fact.different == 1 && fact.first_at == 3 && fact.golden == 10 && fact.target == 11);
    CHECK_TEXT(fact.first_file, "step2.npy");
    CHECK(!tokens_compare("golden", "none", arena, &fact, &notices, &err));
    CHECK_TEXT(str_of(err.text), "no array of token ids has the same name on both sides");
    CHECK_TEXT(str_of(err.file), "golden");
}

static void what_holds_no_ids_is_refused_by_name(void)
{
    static const float numbers[] = {1, 2};
    static const int32_t ids[] = {7, 8};
    TokensFact fact;
    npy_file("ids.npy", "<i4", "(2,)", ids, sizeof ids);
    npy_file("numbers.npy", "<f4", "(2,)", numbers, sizeof numbers);
    CHECK(!tokens_compare("ids.npy", "numbers.npy", arena, &fact, &notices, &err));
    CHECK_TEXT(str_of(err.text), "expected token ids, found float32");
    CHECK_TEXT(str_of(err.file), "numbers.npy");
    CHECK(!tokens_compare("ids.npy", "missing.npy", arena, &fact, &notices, &err));
    CHECK_TEXT(str_of(err.file), "missing.npy");
    CHECK(!tokens_compare("missing.npy", "ids.npy", arena, &fact, &notices, &err));
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(ids_of_every_width_are_compared_as_numbers);
    CHECK_RUN(a_difference_behind_the_first_block_is_named_by_its_element);
    CHECK_RUN(files_of_two_folders_pair_by_name);
    CHECK_RUN(what_holds_no_ids_is_refused_by_name);
    arena_release(arena);
    return CHECK_RESULT;
}
