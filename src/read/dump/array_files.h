// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_ARRAY_FILES_H
#define VERNIER_READ_DUMP_ARRAY_FILES_H

#include "read/tensor/weights_file.h"

// The .npz and safetensors files of a folder, opened when they are first asked for and then kept:
// to look for one array costs as much as to list them all. Safe to use from several threads.
typedef struct ArrayFiles ArrayFiles;

bool array_files_has_name(Str name);  // of such a file

// Holds memory and open files of its own until it is freed.
ArrayFiles *array_files_new(const char *folder);
void array_files_free(ArrayFiles *files);  // NULL is allowed

// `file`: its path below the folder. What is odd in it is reported where `notices` is not NULL.
// NULL, with the reason, if it cannot be read.
const Weights *array_files_open(ArrayFiles *files, Str file, Notices *notices, Error *err);

// Indexes of the weights of one file as they were written. Where that is the order of the alphabet,
// which libraries bring about, by name with digit runs by value; `notices`, unless NULL, tell it.
const size_t *array_files_order(const Weights *weights, Arena *arena, Notices *notices);

#endif
