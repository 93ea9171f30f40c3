// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/torch_file.h"

#include "base/words.h"
#include "read/tensor/torch_state.h"
#include "read/tensor/torch_tensor.h"

// What to do with a file that holds something else.
static bool refuse(const char *path, const TorchContent *content, Arena *arena, Error *err)
{
    TorchState state = {.path = path};
    Tensor none;
    Error ignored;
    bool listed = torch_state_list(&state, content->value, arena, &ignored);
    torch_tensor(path, content->value, &content->stores, &none, err);
    if (listed && state.count > 0)
        return error_hint(err,
                          tr("a checkpoint (tensors in it: %zu) is compared as a whole: vernier "
                             "compare GOLDEN.pt TARGET.pt; else save each tensor in its own file"),
                          state.count);
    return error_hint(err, "%s", tr("save the tensor itself with torch.save"));
}

bool torch_read(const char *path, Str bytes, Tensor *out, Notices *notices, Error *err)
{
    Arena *arena = arena_new();
    TorchContent content;
    *out = (Tensor){0};
    bool good = torch_content_read(path, bytes, &pickle_of_tensor, arena, &content, notices, err);
    if (good)
        good = torch_is_tensor(content.value)
                   ? torch_tensor(path, content.value, &content.stores, out, err)
                   : refuse(path, &content, arena, err);
    arena_release(arena);
    return good;
}
