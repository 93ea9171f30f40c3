// SPDX-License-Identifier: Apache-2.0
#include "read/dump/shard_dims.h"

#include "check.h"

static void each_group_of_ranks_shares_the_dim_behind_which_it_stands(void)
{
    static const char *const forms[] = {"b s[cp:zigzag] h[tp]", "  b s(cp,zigzag)  h(tp) ",
                                        "b s[cp : zigzag] (a*d)[tp:sharded] # dp:=moe_dp"};
    ShardDims dims;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        CHECK(shard_dims_parse(str_of(forms[i]), &dims) && dims.rank == 3 && dims.count == 2);
        CHECK(str_equal(dims.items[0].group, STR("cp")) && dims.items[0].dim == 1);
        CHECK(dims.items[0].zigzag && !dims.items[0].partial && !dims.items[1].zigzag);
        CHECK(str_equal(dims.items[1].group, STR("tp")) && dims.items[1].dim == 2);
    }
    CHECK(shard_dims_parse(STR("t 1 h"), &dims) && dims.rank == 3 && dims.count == 0);
    CHECK(shard_dims_parse(STR("t[cp] h[tp:partial]"), &dims) && dims.items[0].packed &&
          dims.items[1].partial && !dims.items[1].packed);
}

static void the_innermost_parts_are_joined_first(void)
{
    ShardDims dims;
    CHECK(shard_dims_parse(STR("s[cp:zigzag,sp] h"), &dims) && dims.count == 2);
    CHECK(str_equal(dims.items[0].group, STR("sp")) && !dims.items[0].zigzag);
    CHECK(str_equal(dims.items[1].group, STR("cp")) && dims.items[1].zigzag);
}

static void what_is_written_otherwise_is_refused(void)
{
    static const char *const forms[] = {
        "",          " ",         "#tp",         "h[tp",
        "h]",        "h[]",       "(a*b",        "h[tp)",
        "2x",        "h[tp][cp]", "s[tp] h[tp]", "h[zigzag]",
        "h[tp,,cp]", "h[t p]",    "[tp]",        "h[a,b,c,d,e,f,g,i,j]"};
    ShardDims dims;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        CHECK(!shard_dims_parse(str_of(forms[i]), &dims));
}

int main(void)
{
    CHECK_RUN(each_group_of_ranks_shares_the_dim_behind_which_it_stands);
    CHECK_RUN(the_innermost_parts_are_joined_first);
    CHECK_RUN(what_is_written_otherwise_is_refused);
    return CHECK_RESULT;
}
