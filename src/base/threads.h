// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_THREADS_H
#define VERNIER_BASE_THREADS_H

#include <stddef.h>

// Runs work(context, i) for every i below count on up to `jobs` threads, and returns when all are
// done. Items are taken in order; results must not depend on which thread ran them. With jobs <= 1
// everything runs in the caller.
void threads_run(size_t count, int jobs, void (*work)(void *context, size_t index), void *context);

// More threads than these are never started.
enum { THREADS_MAX = 256 };

int threads_default_jobs(void);  // processors this process may use

#endif
