// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_PAGES_H
#define VERNIER_BASE_PAGES_H

#include <stddef.h>

// Blocks of memory in the largest pages that the system has: to be given a page costs about the
// same whatever its size, on a virtual machine more than to fill it.

// Smaller blocks would waste too much of their last page.
#define PAGES_LEAST ((size_t)1 << 20)

// Zeroed, and a page's size apart from other blocks; NULL: no memory.
void *pages_map(size_t size);

// `size` as given to pages_map.
void pages_unmap(void *block, size_t size);

// A mapped text is read from its beginning to its end, and has been up to `at`: the next 4 MB are
// asked of the system at once, where each 64 kB would be a fault. `*ahead`, 0 at first, is how far
// that went. Where the system cannot, nothing is done.
void pages_ahead(const char *text, size_t size, size_t at, size_t *ahead);

// What is before `at` of a mapped file is let go, 4 MB at a time; asked for again, it is read
// again. `*behind`, 0 at first, is how far that went.
void pages_behind(const char *text, size_t at, size_t *behind);

#endif
