// SPDX-License-Identifier: Apache-2.0
// GCC and Clang tell of their sanitizers in different ways.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER
#endif
#endif

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/file.h"
#include "check.h"
#include "compare/tensor/tensor_metrics.h"
#include "read/tensor/tensor_file.h"

// Reads every file of a corpus made by fuzz/make-hostile.py. Each must be refused with the reason
// that want.tsv names, or be read where it says OK; nothing may appear in the working folder, and
// memory stays below 100 MB.

enum { MEGABYTES = 100 };

// The sanitizers reserve terabytes of addresses; there only the memory in use is looked at.
static void limit_memory(void)
{
#ifndef UNDER_SANITIZER
    struct rlimit limit = {(rlim_t)MEGABYTES << 20, (rlim_t)MEGABYTES << 20};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
#endif
}

static void check_file(const char *folder, Str name, Str want, Arena *arena)
{
    TensorFile file;
    Error err = {0};
    Notices notices;
    notices_init(&notices, arena);
    bool good = tensor_open(path_join(arena, folder, name), &file, &notices, &err);
    bool as_wanted =
        good ? str_equal(want, STR("OK")) : str_find(str_of(err.text), want, 0) != SIZE_MAX;
    if (!as_wanted) {
        fprintf(stderr, STR_FMT ": want '" STR_FMT "', got '%s' at byte %lld\n", STR_ARG(name),
                STR_ARG(want), good ? "OK" : err.text, (long long)err.byte);
        check_failures++;
    }
    if (strstr(err.text, "opcode"))
        CHECK(err.byte > 0);
    if (good) {
        double buffer[4];
        if (file.tensor.count)
            tensor_elements(&file.tensor, file.tensor.count - 1, 1, buffer);
        tensor_close(&file);
    }
}

static size_t check_folder(const char *folder, Arena *arena)
{
    File list;
    Error err;
    size_t count = 0;
    if (!file_open(path_join(arena, folder, STR("want.tsv")), &list, &err)) {
        fprintf(stderr, "%s: %s\n", err.file, err.text);
        exit(2);
    }
    Str rest = list.text, line;
    while (str_split(&rest, '\n', &line)) {
        size_t tab = str_find_char(line, '\t', 0);
        if (tab == SIZE_MAX)
            continue;
        check_file(folder, str_slice(line, 0, tab), str_slice(line, tab + 1, line.size), arena);
        count++;
    }
    file_close(&list);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    limit_memory();
    Arena *arena = arena_new();
    size_t count = check_folder(argv[1], arena);
    CHECK(count >= 100);
    CHECK(file_kind("PWNED") == FILE_NONE);
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss < MEGABYTES * 1024L);
    printf("%zu hostile files, %ld KiB\n", count, usage.ru_maxrss);
    arena_release(arena);
    return CHECK_RESULT;
}
