// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/tensor/npy.h"
#include "read/tensor/npz_file.h"
#include "tensor_check.h"

// Any bytes as a .npy file, and as an archive of them.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Tensor tensor;
    notices_init(&notices, arena);
    Str bytes = fuzz_copy(data, size);
    if (npy_is(bytes) && npy_read("file", bytes, &tensor, &notices, &err))
        check_tensor(&tensor);
    NpzFile arrays = {0};
    npz_is(bytes);
    if (npz_read("file", bytes, arena, &arrays, &notices, &err))
        for (size_t i = 0; i < arrays.count; i++)
            check_tensor(&arrays.items[i].tensor);
    free((void *)bytes.data);
    arena_release(arena);
    return 0;
}
