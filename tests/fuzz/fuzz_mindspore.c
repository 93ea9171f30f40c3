// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/tensor/mindspore_file.h"
#include "tensor_check.h"

// Any bytes as a checkpoint of MindSpore.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    MindsporeFile file;
    notices_init(&notices, arena);
    Str text = fuzz_copy(data, size);
    mindspore_is(text);
    bool good = mindspore_read("file", text, arena, &file, &notices, &err);
    for (size_t i = 0; good && i < file.count; i++) {
        Tensor tensor = mindspore_tensor(&file, i);
        check_tensor(&tensor);
    }
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
