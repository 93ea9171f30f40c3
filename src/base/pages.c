// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE  // madvise
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22  // Linux 5.14; older headers do not name it
#endif

#define LARGE_PAGE  ((size_t)2 << 20)
#define PAGES_AHEAD ((size_t)4 << 20)

static void unmap(uintptr_t from, uintptr_t stop)
{
    if (stop > from)
        munmap((void *)from, stop - from);
}

static size_t whole_pages(size_t size)
{
    return (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

// A map may begin at any small page, so more is asked for and what stands around is given back.
void *pages_map(size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t whole = whole_pages(size), asked = whole + LARGE_PAGE;
    void *map = mmap(NULL, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    uintptr_t from = (uintptr_t)map, first = (from + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    unmap(from, first);
    unmap(first + whole, from + asked);
#ifdef MADV_HUGEPAGE
    madvise((void *)first, whole, MADV_HUGEPAGE);
#endif
    return (void *)first;
}

void pages_unmap(void *block, size_t size)
{
    uintptr_t from = (uintptr_t)block;
    unmap(from, from + whole_pages(size));
}

void pages_behind(const char *text, size_t at, size_t *behind)
{
    size_t to = at / PAGES_AHEAD * PAGES_AHEAD;
    if (to <= *behind)
        return;
#ifdef MADV_DONTNEED
    madvise((void *)(uintptr_t)(text + *behind), to - *behind, MADV_DONTNEED);
#endif
    *behind = to;
}

void pages_ahead(const char *text, size_t size, size_t at, size_t *ahead)
{
    if (at < *ahead || at >= size)
        return;
    size_t from = at / PAGES_AHEAD * PAGES_AHEAD, most = size - from;
    size_t next = most < PAGES_AHEAD ? most : PAGES_AHEAD;
#ifdef MADV_POPULATE_READ
    madvise((void *)(uintptr_t)(text + from), next, MADV_POPULATE_READ);
#endif
    *ahead = from + next;
}
