// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/tensor_file.h"

#include "base/words.h"
#include "read/tensor/npy.h"
#include "read/tensor/raw_floats.h"
#include "read/tensor/torch_content.h"
#include "read/tensor/torch_file.h"

bool tensor_read(const char *path, Str bytes, Tensor *out, Notices *notices, Error *err)
{
    if (bytes.size == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the file is empty"));
    if (npy_is(bytes))
        return npy_read(path, bytes, out, notices, err);
    if (torch_is(bytes))
        return torch_read(path, bytes, out, notices, err);
    if (raw_floats_is(path, bytes)) {
        *out = raw_floats_tensor(bytes);
        return true;
    }
    error_set(err, ERR_INPUT, WHERE_BYTE(path, 0), "%s",
              tr("expected a .npy file or a .pt file, found neither"));
    return error_hint(err, "%s", tr("save the tensor with torch.save or numpy.save"));
}

bool tensor_open(const char *path, TensorFile *out, Notices *notices, Error *err)
{
    *out = (TensorFile){0};
    if (!file_open(path, &out->file, err))
        return false;
    if (tensor_read(path, out->file.text, &out->tensor, notices, err))
        return true;
    file_close(&out->file);
    return false;
}

void tensor_close(TensorFile *file)
{
    file_close(&file->file);
    if (file->arena)
        arena_release(file->arena);
    file->arena = NULL;
}
