// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/recorded.h"

#include "check.h"
#include "graph_text.h"

#define TENSOR(rest) "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4]" rest "}"
#define WHOLE        TENSOR(",\"Max\":1.0,\"Min\":-1.0,\"Mean\":0.1,\"Norm\":2.0")
#define NO_NORM      TENSOR(",\"Max\":1.0,\"Min\":-1.0,\"Mean\":0.1,\"Norm\":null")
#define SUM(text)    TENSOR(",\"md5\":\"" text "\"")
#define EMPTY        "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[0,4]}"

static Arena *arena;
static Notices notices;

// A dump with `count` calls of an API whose output is `tensor`, and one whose output is `last`.
static const Dump *dump_of(const char *tensor, int count, const char *last, Recorded *recorded)
{
    StrBuf data = strbuf_new(arena);
    for (int i = 0; i <= count; i++)
        strbuf_printf(&data, "%s\"Torch.exp.%d.forward\":{\"output\":[%s]}", i ? "," : "{", i,
                      i == count ? last : tensor);
    strbuf_add(&data, STR("}"));
    Graph *graph = ARENA_NEW(arena, Graph);
    GraphText text = {.construct = "{}", .data = strbuf_str(&data).data};
    graph_text_build("recorded", &text, GRAPH_VERNIER, arena, graph, &notices);
    recorded_collect(graph->dump, arena, recorded);
    return graph->dump;
}

// Whether the last tensor of the one dump tells what that of the other lost.
static bool is_lost(const char *tensors[2], const char *last[2])
{
    Recorded recorded[2];
    const Dump *dumps[2];
    for (int side = 0; side < 2; side++)
        dumps[side] = dump_of(tensors[side], 4, last[side], &recorded[side]);
    return recorded_lost(&recorded[0], &dumps[0]->slots[4], &recorded[1], &dumps[1]->slots[4],
                         dumps);
}

static void a_statistic_that_a_side_tells_elsewhere_was_lost(void)
{
    CHECK(is_lost((const char *[]){WHOLE, WHOLE}, (const char *[]){WHOLE, NO_NORM}));
    CHECK(is_lost((const char *[]){WHOLE, WHOLE}, (const char *[]){NO_NORM, WHOLE}));
    CHECK(!is_lost((const char *[]){WHOLE, WHOLE}, (const char *[]){NO_NORM, NO_NORM}));
    CHECK(!is_lost((const char *[]){WHOLE, WHOLE}, (const char *[]){WHOLE, WHOLE}));
}

static void a_statistic_that_a_whole_side_lacks_was_not_recorded(void)
{
    CHECK(!is_lost((const char *[]){WHOLE, NO_NORM}, (const char *[]){WHOLE, NO_NORM}));
    CHECK(!is_lost((const char *[]){NO_NORM, WHOLE}, (const char *[]){NO_NORM, WHOLE}));
}

static void a_statistic_that_fewer_than_three_tensors_lack_was_lost(void)
{
    Recorded recorded;
    dump_of(NO_NORM, 1, NO_NORM, &recorded);
    CHECK(!recorded_lacks_stat(&recorded, SORT_FLOAT, STAT_NORM));
    dump_of(NO_NORM, 2, NO_NORM, &recorded);
    CHECK(recorded_lacks_stat(&recorded, SORT_FLOAT, STAT_NORM));
}

static void a_checksum_of_another_length_is_none(void)
{
    CHECK(!is_lost((const char *[]){SUM("0a1b2c3d"), SUM("0a1b2c3d")},
                   (const char *[]){SUM("0a1b2c3d"), SUM("ffffffff")}));
    CHECK(is_lost((const char *[]){SUM("0a1b2c3d"), SUM("0a1b2c3d")},
                  (const char *[]){SUM("0a1b2c3d"), SUM("N/A")}));
    CHECK(is_lost((const char *[]){SUM("0a1b2c3d"), SUM("0a1b2c3d")},
                  (const char *[]){SUM("0a1b2c3d"), TENSOR("")}));
}

static void an_empty_tensor_loses_nothing(void)
{
    CHECK(!is_lost((const char *[]){WHOLE, WHOLE}, (const char *[]){WHOLE, EMPTY}));
    Recorded recorded;
    dump_of(WHOLE, 2, EMPTY, &recorded);
    CHECK(recorded.tensors[SORT_FLOAT] == 2 && recorded.told == 2);
}

static void a_role_that_no_call_has_is_a_setting_from_three_calls(void)
{
    Recorded recorded;
    dump_of(WHOLE, 2, WHOLE, &recorded);
    CHECK(recorded_lacks_role(&recorded, DIR_FORWARD, SLOT_INPUTS));
    CHECK(!recorded_lacks_role(&recorded, DIR_FORWARD, SLOT_OUTPUTS));
    CHECK(!recorded_lacks_role(&recorded, DIR_BACKWARD, SLOT_INPUTS));
    dump_of(WHOLE, 1, WHOLE, &recorded);
    CHECK(!recorded_lacks_role(&recorded, DIR_FORWARD, SLOT_INPUTS));
}

int main(void)
{
    arena = arena_new();
    notices_init(&notices, arena);
    CHECK_RUN(a_statistic_that_a_side_tells_elsewhere_was_lost);
    CHECK_RUN(a_statistic_that_a_whole_side_lacks_was_not_recorded);
    CHECK_RUN(a_statistic_that_fewer_than_three_tensors_lack_was_lost);
    CHECK_RUN(a_checksum_of_another_length_is_none);
    CHECK_RUN(an_empty_tensor_loses_nothing);
    CHECK_RUN(a_role_that_no_call_has_is_a_setting_from_three_calls);
    arena_release(arena);
    return CHECK_RESULT;
}
