// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/dump/tensor_place.h"
#include "read/tensor/torch_content.h"
#include "read/tensor/torch_file.h"
#include "read/tensor/torch_state.h"
#include "tensor_check.h"

// Any bytes as a .pt file, with one tensor and as a checkpoint.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The names of parts are whatever the file says, whoever wrote it.
static void check_places(const StatePart *part, Arena *arena)
{
    static const char *const files[] = {"Pass00001.pt", "step=0___rank=1___name=x.pt", "batch.pt"};
    if (part->key_size > part->name.size)
        abort();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        tensor_place_of_part(str_of(files[i]), part->name, part->key_size, false, arena);
    Str dumper = str_printf(arena, "rank=1___name=" STR_FMT ".pt", STR_ARG(part->name));
    tensor_place_of_part(dumper, STR("value.0"), 5, true, arena);
    tensor_place_of_file(part->name, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Tensor tensor;
    notices_init(&notices, arena);
    Str bytes = fuzz_copy(data, size);
    if (torch_is(bytes) && torch_read("file", bytes, &tensor, &notices, &err))
        check_tensor(&tensor);
    TorchState state;
    bool good = torch_is(bytes) && torch_state_read("file", bytes, arena, &state, &notices, &err);
    for (size_t i = 0; good && i < state.count; i++) {
        tensor = torch_state_tensor(&state, i);
        check_tensor(&tensor);
        check_places(&state.items[i], arena);
    }
    free((void *)bytes.data);
    arena_release(arena);
    return 0;
}
