// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_KERNEL_BESIDE_H
#define VERNIER_READ_DUMP_KERNEL_BESIDE_H

#include "base/arena.h"
#include "base/notice.h"

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
// task and stream is told, or why it is not known.
void kernel_overflows_tell(const char *folder, const KernelTensor *tensors, size_t count,
                           Notices *notices);

#endif
