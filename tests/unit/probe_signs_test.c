// SPDX-License-Identifier: Apache-2.0
#include "trend/monitor/probe_signs.h"

#include "base/file.h"
#include "check.h"
#include "npy_file.h"

static Arena *arena;
static Notices notices;

// An array of one axis; returns its path.
static const char *npy(const char *path, const char *descr, const char *data, size_t count)
{
    Error err;
    CHECK(folder_make("signs", &err));
    return npy_file(path, descr, str_cstr(arena, str_printf(arena, "(%zu,)", count)), data,
                    count * (size_t)(descr[2] - '0'));
}

static MonitorSide side(const char *path, int64_t rank, int64_t step, const char *name)
{
    return (MonitorSide){.path = path, .rank = rank, .step = step, .name = str_of(name)};
}

static ProbeValues compare(MonitorSide *golden, size_t golden_count, MonitorSide *target,
                           size_t target_count)
{
    MonitorSides left = {.items = golden, .count = golden_count};
    MonitorSides right = {.items = target, .count = target_count};
    ProbeValues out = {0};
    notices_init(&notices, arena);
    probe_signs_compare(&left, &right, arena, &out, &notices);
    return out;
}

static void the_share_of_equal_signs_is_told_and_the_summary_is_weighted_by_elements(void)
{
    const char *a = npy("signs/a.npy", "|b1", "\1\1\0\0", 4);
    const char *b = npy("signs/b.npy", "|b1", "\1\0\0\0", 4);
    const char *c = npy("signs/c.npy", "|b1", "\1\1", 2), *d = npy("signs/d.npy", "|b1", "\0\0", 2);
    MonitorSide golden[] = {side(c, 0, 1, "v"), side(a, 1, 0, "w"), side(a, 0, 0, "w"),
                            side(c, 0, 0, "v")};
    MonitorSide target[] = {side(b, 0, 0, "w"), side(d, 0, 0, "v"), side(c, 0, 1, "v"),
                            side(a, 1, 0, "w"), side(a, 2, 0, "w")};
    ProbeValues out = compare(golden, 4, target, 5);
    static const struct {
        const char *name;
        int64_t rank, step;
        double value;
    } want[] = {
        {"v", 0, 0, 0},       {"w", 0, 0, 0.75}, {"summary", 0, 0, 3.0 / 6.0}, {"v", 0, 1, 1},
        {"summary", 0, 1, 1}, {"w", 1, 0, 1},    {"summary", 1, 0, 1},
    };
    CHECK(out.count == 7 && notices.count == 0);
    for (size_t i = 0; i < out.count && i < 7; i++) {
        CHECK_TEXT(out.items[i].name, want[i].name);
        CHECK(out.items[i].rank == want[i].rank && out.items[i].step == want[i].step);
        CHECK(out.items[i].value == want[i].value);
    }
}

static void bytes_with_a_sign_count_as_positive_or_not(void)
{
    const char *a = npy("signs/e.npy", "|i1", "\1\377\0\177", 4);
    const char *b = npy("signs/f.npy", "|i1", "\2\0\200\377", 4);
    MonitorSide golden[] = {side(a, 0, 0, "w")}, target[] = {side(b, 0, 0, "w")};
    ProbeValues out = compare(golden, 1, target, 1);
    CHECK(out.count == 2 && out.items[0].value == 0.75);
}

static void what_cannot_be_compared_is_named_and_left_out(void)
{
    static const char *const texts[] = {
        "shape or type differs from that of golden; its signs are not compared",
        "shape or type differs from that of golden; its signs are not compared",
        "expected booleans: the signs of a gradient", "", ""};
    const char *a = npy("signs/g.npy", "|b1", "\1\1\0\0", 4);
    const char *shorter = npy("signs/h.npy", "|b1", "\1\1", 2);
    const char *other = npy("signs/i.npy", "|u1", "\1\1\0\0", 4);
    const char *texts_only = npy("signs/j.npy", "|S1", "abcd", 4);
    const char *wide = npy("signs/k.npy", "<i2", "\1\0\1\0\1\0\1\0", 4);
    const char *const golden_paths[] = {a, a, wide, a, "signs/none.npy"};
    const char *const target_paths[] = {shorter, other, wide, texts_only, a};
    for (size_t i = 0; i < 5; i++) {
        MonitorSide golden[] = {side(golden_paths[i], 0, 0, "w")};
        MonitorSide target[] = {side(target_paths[i], 0, 0, "w")};
        ProbeValues out = compare(golden, 1, target, 1);
        CHECK(out.count == 0 && notices.count == 1);
        CHECK(notices.count && str_starts(notices.items[0].text, str_of(texts[i])));
        CHECK(notices.count && notices.items[0].file.size > 0);
    }
    MonitorSide golden[] = {side(a, 0, 0, "w")}, target[] = {side("signs/none.npy", 0, 0, "w")};
    CHECK(compare(golden, 1, target, 1).count == 0 && notices.count == 1);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(the_share_of_equal_signs_is_told_and_the_summary_is_weighted_by_elements);
    CHECK_RUN(bytes_with_a_sign_count_as_positive_or_not);
    CHECK_RUN(what_cannot_be_compared_is_named_and_left_out);
    arena_release(arena);
    return CHECK_RESULT;
}
