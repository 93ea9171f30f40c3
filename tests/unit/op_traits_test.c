// SPDX-License-Identifier: Apache-2.0
#include "model/ops/op_traits.h"

#include "check.h"

static void an_op_in_place_has_the_traits_of_the_other(void)
{
    CHECK(op_traits(STR("add")) & OP_SUMS && op_traits(STR("add_")) & OP_SUMS);
    CHECK(op_traits(STR("addcmul_")) & OP_SUMS && !op_traits(STR("addcmul")));
    CHECK(op_traits(STR("add")) & OP_COMMUTES && !(op_traits(STR("add_")) & OP_COMMUTES));
    CHECK(op_is_in_place(STR("copy_")) && !op_is_in_place(STR("__add__")));
    CHECK(!op_traits(STR("nothing of the kind")) && !op_traits(STR("")) && !op_traits(STR("_")));
}

static void the_table_is_sorted_so_that_its_ends_are_found(void)
{
    CHECK(op_traits(STR("CrossEntropyLoss")) & OP_LOSS && op_traits(STR("zeros_like")));
    CHECK(op_traits(STR("__setitem__")) & API_FILLS && op_traits(STR("mm")) & OP_MATMUL);
}

static void weights_have_places(void)
{
    unsigned traits = op_traits(STR("batch_norm"));
    CHECK(op_weight_place(traits, STR("input.1")) && op_weight_place(traits, STR("input.4")));
    CHECK(!op_weight_place(traits, STR("input.0")) && !op_weight_place(traits, STR("output.1")));
    CHECK(!op_weight_place(op_traits(STR("embedding")), STR("input.2")));
}

int main(void)
{
    CHECK_RUN(an_op_in_place_has_the_traits_of_the_other);
    CHECK_RUN(the_table_is_sorted_so_that_its_ends_are_found);
    CHECK_RUN(weights_have_places);
    return CHECK_RESULT;
}
