// SPDX-License-Identifier: Apache-2.0
#include "read/dump/dump_formats.h"

#include <math.h>

#include "check.h"
#include "read/dump/dump_source.h"

static Arena *arena;
static Names *names;
static Notices notices;
static Error err;
static Dump got;

static bool reads(const char *text)
{
    notices_init(&notices, arena);
    names = names_new(arena);
    return dump_read_text("statistic.csv", str_of(text), names, arena, &got, &notices, &err);
}

static Str name(NameId id)
{
    return names_text(names, id);
}

static const char *const new_header =
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,"
    "Min Value,L2Norm Value\n";

static void quoted_shapes_and_the_comma_at_the_end_are_read(void)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", new_header,
             "MatMul,Default/fc-Dense/MatMul-op1,0,0,1700000000000001,input,0,16,float32,"
             "\"(2,2)\",3.5,-1,4,\n"
             "MatMul,Default/fc-Dense/MatMul-op1,0,0,1700000000000002,output,0,4,bfloat16,"
             "\"()\",nan,null,inf,\n");
    CHECK(reads(text) && got.op_count == 1 && got.slot_count == 2 && notices.count == 0);
    CHECK_TEXT(name(got.ops[0].name), "Default/fc-Dense/MatMul-op1.0.forward");
    CHECK(got.framework == FRAMEWORK_MINDSPORE && got.ops[0].offset == strlen(new_header));
    const Slot *in = &got.slots[0], *out = &got.slots[1];
    CHECK_TEXT(name(in->shape), "[2, 2]");
    CHECK_TEXT(name(in->dtype), "Float32");
    CHECK_TEXT(name(in->path), "input.0");
    CHECK(in->tag[STAT_MAX] == TAG_REAL && in->stat[STAT_MAX].real == 3.5);
    CHECK(in->tag[STAT_MIN] == TAG_INT && in->tag[STAT_MEAN] == TAG_ABSENT);
    CHECK_TEXT(name(out->shape), "[]");
    CHECK_TEXT(name(out->dtype), "BFloat16");
    CHECK(isnan(out->stat[STAT_MAX].real) && out->tag[STAT_MIN] == TAG_NULL);
    CHECK(isinf(out->stat[STAT_NORM].real));
}

static void shapes_without_quotes_are_joined_again(void)
{
    CHECK(reads("Op Type,Op Name,Task ID,Stream ID,Timestamp,Input/Output,Slot,Data Size,Data Type,"
                "Format,Shape,Max Value,Min Value,Avg Value,L2 Value,Nan Count,MD5\n"
                "Add,Add_1,7,3,5,input,0,16,FLOAT,ND,(1,4,4096),1,2,3,4,2,abcdabcd\n"
                "Add,Add_1,7,3,6,output,0,16,BF16,ND,(),True,False,null,null,0,null\n"));
    CHECK(got.op_count == 1 && got.slot_count == 2);
    CHECK_TEXT(name(got.ops[0].name), "Add_1.0.forward");
    CHECK_TEXT(name(got.slots[0].shape), "[1, 4, 4096]");
    CHECK_TEXT(name(got.slots[0].checksum), "abcdabcd");
    CHECK(got.slots[0].stat[STAT_NORM].integer == 4);
    CHECK(got.slots[1].tag[STAT_MAX] == TAG_BOOL && got.slots[1].stat[STAT_MAX].integer == 1);
    CHECK(got.extra_count == 1 && got.extras[0].slot == 0);
    CHECK_TEXT(name(got.extras[0].key), "NaN Count");
    CHECK_TEXT(name(got.extras[0].text), "2");
}

static void occurrences_follow_the_time_stamps(void)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", new_header,
             "Mul,Gradients/Mul-op3,0,0,200,input,0,4,float32,\"(3,)\",2,2,2,\n"
             "Mul,Gradients/Mul-op3,0,0,100,input,0,4,float32,\"(3,)\",1,1,1,\n"
             "Add,Add-op1,0,0,101,output,0,4,float32,\"(3,)\",5,5,5,\n"
             "Mul,Gradients/Mul-op3,0,0,102,output,0,4,float32,\"(3,)\",9,9,9,\n");
    CHECK(reads(text) && got.op_count == 3 && got.slot_count == 4);
    CHECK_TEXT(name(got.ops[0].name), "Gradients/Mul-op3.0.backward");
    CHECK(got.ops[0].slot_count == 2 && got.slots[0].stat[STAT_MAX].integer == 1);
    CHECK_TEXT(name(got.slots[1].path), "output.0");
    CHECK_TEXT(name(got.ops[1].name), "Add-op1.0.forward");
    CHECK_TEXT(name(got.ops[2].name), "Gradients/Mul-op3.1.backward");
    CHECK_TEXT(name(got.slots[0].shape), "[3]");
}

static void short_rows_cost_themselves(void)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", new_header,
             "Mul,a,0,0,1,input,0,4\n"
             "Mul,a,0,0,1,sideways,0,4,float32,\"(3,)\",2,2,2,\n"
             "Mul,a,0,0,1,input,0,4,float32,\"(3,)\",2,2,2,\n");
    CHECK(reads(text) && got.slot_count == 1 && notices_any_partial(&notices));
    CHECK(notices.items[0].line == 2 && str_starts(notices.items[0].text, STR("2 rows")));
    CHECK(reads(new_header) && got.op_count == 0);
    CHECK(!reads("Op Type,Op Name,Task ID\nMul,a,0\n") && err.line == 1);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(quoted_shapes_and_the_comma_at_the_end_are_read);
    CHECK_RUN(shapes_without_quotes_are_joined_again);
    CHECK_RUN(occurrences_follow_the_time_stamps);
    CHECK_RUN(short_rows_cost_themselves);
    arena_release(arena);
    return CHECK_RESULT;
}
