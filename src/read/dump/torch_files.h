// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_TORCH_FILES_H
#define VERNIER_READ_DUMP_TORCH_FILES_H

#include "read/tensor/tensor_file.h"

// The files of torch.save of a folder that hold several tensors each. Those asked for last stay
// open: to look for one tensor costs as much as to list them all. Safe to use from several threads.
typedef struct TorchFiles TorchFiles;

// Holds memory and open files of its own until it is freed.
TorchFiles *torch_files_new(const char *folder);
void torch_files_free(TorchFiles *files);  // NULL is allowed

// `file`: its path below the folder. Of several tensors of one name the first in the file. What is
// odd in the file was reported where it was listed. Ended by tensor_close.
bool torch_files_tensor(TorchFiles *files, Str file, Str name, TensorFile *out, Error *err);

#endif
