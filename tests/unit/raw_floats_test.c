// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/raw_floats.h"

#include <math.h>

#include "check.h"
#include "read/tensor/tensor_file.h"

enum { COUNT = 2000 };

// Of a little-endian machine and of any other.
static void put(float value, unsigned char *out)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(bits >> 8 * i);
}

static Str logits(unsigned char bytes[COUNT * 4])
{
    for (int i = 0; i < COUNT; i++)
        put(i == 7 ? -INFINITY : (float)(i % 97) / 8 - 5, bytes + 4 * (size_t)i);
    return (Str){(const char *)bytes, COUNT * 4};
}

static void logits_without_a_header_are_one_axis_of_float32(void)
{
    static unsigned char bytes[COUNT * 4];
    Arena *arena = arena_new();
    Notices notices;
    Tensor tensor;
    Error err;
    notices_init(&notices, arena);
    CHECK(tensor_read("llamacpp-m.bin", logits(bytes), &tensor, &notices, &err));
    CHECK(tensor.dtype == DTYPE_F32 && tensor.rank == 1 && tensor.count == COUNT);
    CHECK(tensor.data == bytes && tensor.contiguous);
    arena_release(arena);
}

static void other_binary_files_are_no_tensors(void)
{
    static unsigned char bytes[COUNT * 4];
    Str good = logits(bytes);
    CHECK(!raw_floats_is("llamacpp-m.gguf", good));
    CHECK(!raw_floats_is("m.bin", str_slice(good, 0, good.size - 1)));
    CHECK(!raw_floats_is("m.bin", str_slice(good, 0, 8)));
    CHECK(!raw_floats_is("m.bin", STR("")));
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((random = random * 1664525 + 1013904223) >> 24);
    CHECK(!raw_floats_is("m.bin", good));
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)("{\"tokens\": [1, 2]}\n"[i % 19]);
    CHECK(!raw_floats_is("tokens.bin", good));
}

int main(void)
{
    CHECK_RUN(logits_without_a_header_are_one_axis_of_float32);
    CHECK_RUN(other_binary_files_are_no_tensors);
    return CHECK_RESULT;
}
