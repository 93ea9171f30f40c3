// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/tensor/safetensors.h"
#include "tensor_check.h"

// Any bytes as a safetensors file.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    SafeTensors file;
    notices_init(&notices, arena);
    Str text = fuzz_copy(data, size);
    bool good = safetensors_read("file", text, arena, &file, &notices, &err);
    for (size_t i = 0; good && i < file.count; i++) {
        Tensor tensor = safetensors_tensor(&file, i);
        check_tensor(&tensor);
        if (safetensors_find(&file, file.items[i].name) != i)
            abort();
    }
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
