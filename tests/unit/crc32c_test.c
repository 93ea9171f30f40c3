// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include "check.h"

static void the_check_value_is_that_of_the_standard(void)
{
    CHECK(crc32c("123456789", 9) == 0xE3069283);
    CHECK(crc32c_plain("123456789", 9) == 0xE3069283);
    CHECK(crc32c("", 0) == 0);
    CHECK(crc32c(NULL, 0) == 0);
}

static void the_instruction_gives_what_the_table_gives_at_every_size_and_place(void)
{
    enum { BYTES = 300 };
    unsigned char bytes[BYTES];
    uint32_t state = 1;
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
    for (size_t from = 0; from < 9; from++)
        for (size_t size = 0; from + size <= BYTES; size++)
            CHECK(crc32c(bytes + from, size) == crc32c_plain(bytes + from, size) &&
                  crc32c_more(crc32c(bytes, from), bytes + from, size) ==
                      crc32c_plain(bytes, from + size));
}

int main(void)
{
    CHECK_RUN(the_check_value_is_that_of_the_standard);
    CHECK_RUN(the_instruction_gives_what_the_table_gives_at_every_size_and_place);
    return CHECK_RESULT;
}
