// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_KERNEL_NAME_H
#define VERNIER_READ_DUMP_KERNEL_NAME_H

#include "base/arena.h"
#include "base/names.h"
#include "base/notice.h"

// Names that MindSpore's Dump gives to kernels and to the files of their tensors. Task, stream and
// time stamp are other ones in every run: they order the calls, and are no part of a name.

// TYPE.NAME.TASK.STREAM.TIMESTAMP.input|output.SLOT.FORMAT[.DTYPE].npy
typedef struct KernelFile {
    Str type, op, task, stream, io, slot, dtype;  // dtype: empty in older releases
    uint64_t time;                                // microseconds
} KernelFile;

// Of the last name of a path; false: another tool's. Texts are borrowed.
bool kernel_file_parse(Str file, KernelFile *out);

// "MatMul-op7" of "Default/fc-Dense/MatMul-op7", however its parts are joined; empty: no kernel.
Str kernel_without_scope(Str op);

// Counts the calls of each kernel in the order in which its tensors are given.
typedef struct KernelCalls {
    Arena *arena;
    Names *keys;
    uint32_t *seen;
    size_t count;
} KernelCalls;

KernelCalls kernel_calls_new(Arena *arena);

// The op that the next tensor belongs to: "Conv2D-op12.0.forward". A kernel that ran in several
// tasks, or has a slot again, was called again.
Str kernel_calls_op(KernelCalls *calls, Str op, Str task, Str io, Str slot);

// "float32", "BF16" or "DT_FLOAT" as msProbe shows it, "Float32"; any other text as it is.
Str kernel_dtype(Str written);

// What MindSpore's Dump writes next to the tensors of an iteration.

// A tensor of a kernel; `time` orders them.
typedef struct KernelTensor {
    Str op, task, stream;
    uint64_t time;
    bool output;
} KernelTensor;

// Puts the order of rank_N/execution_order/ms_execution_order_graph_G.csv in the place of the time
// stamps: if `folder` lies in rank_N/NET/G, the table names each kernel once, and none was called
// again. Else nothing changes.
void kernel_order_read(const char *folder, KernelTensor *tensors, size_t count);

// Opdebug.Node_OpDebug.*.json in `folder`, which an overflow leaves: the kernel that each names by
// task and stream is reported, or why it is not known.
void kernel_overflows_tell(const char *folder, const KernelTensor *tensors, size_t count,
                           Notices *notices);

#endif
