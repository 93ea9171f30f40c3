// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <stdio.h>
#include <unistd.h>

#include "base/pages.h"
#include "check.h"

static const char path[] = "file_test.bin";

static char byte_at(size_t at)
{
    return (char)(at * 2654435761u >> 24 & 0x7F);
}

static void write_bytes(size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    for (size_t i = 0; file && i < size; i++)
        fputc(byte_at(i), file);
    if (file)
        fclose(file);
}

// Whatever its size is, and wherever it ends within a page.
static void a_file_is_the_same_mapped_and_loaded(void)
{
    const size_t sizes[] = {0, 5, PAGES_LEAST - 1, PAGES_LEAST, ((size_t)2 << 20) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        File mapped, loaded;
        Error err;
        write_bytes(sizes[i]);
        CHECK(file_open(path, &mapped, &err) && file_load(path, &loaded, &err));
        CHECK(mapped.text.size == sizes[i] && str_equal(mapped.text, loaded.text));
        CHECK((loaded.loaded > 0) == (sizes[i] >= PAGES_LEAST) && mapped.loaded == 0);
        file_close(&mapped);
        file_close(&loaded);
        CHECK(loaded.text.size == 0);
    }
    unlink(path);
}

static void what_is_loaded_stays_when_the_file_is_cut(void)
{
    File file;
    Error err;
    write_bytes(2 * PAGES_LEAST);
    CHECK(file_load(path, &file, &err));
    CHECK(truncate(path, 10) == 0);
    CHECK(file.text.size == 2 * PAGES_LEAST);
    CHECK(file.text.data[PAGES_LEAST] == byte_at(PAGES_LEAST));
    file_close(&file);
    unlink(path);
}

int main(void)
{
    CHECK_RUN(a_file_is_the_same_mapped_and_loaded);
    CHECK_RUN(what_is_loaded_stays_when_the_file_is_cut);
    return CHECK_RESULT;
}
