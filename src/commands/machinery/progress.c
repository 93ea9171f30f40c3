// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "base/words.h"

enum { FILE_BYTES_MAX = 48 };  // with the count a line of 80 columns

struct Progress {
    pthread_mutex_t lock;
    size_t done, pairs;
    bool lines;  // for a program that reads them
};

static bool can_clear(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind && *kind && strcmp(kind, "dumb") != 0;
}

Progress *progress_start(bool quiet)
{
    const char *asked = getenv("VERNIER_PROGRESS");
    bool lines = asked && strcmp(asked, "lines") == 0;
    if (!lines && (quiet || !can_clear()))
        return NULL;
    Progress *progress = calloc(1, sizeof *progress);
    if (progress)
        progress->lines = lines;
    else
        out_of_memory();
    pthread_mutex_init(&progress->lock, NULL);
    return progress;
}

static void clear_line(void)
{
    fputs("\r\x1b[K", stderr);
}

void progress_end(Progress *progress)
{
    if (!progress)
        return;
    if (!progress->lines)
        clear_line();
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}

void progress_pairs(Progress *progress, size_t count)
{
    if (progress)
        progress->pairs = count;
}

// Names may hold the words of an input; a long one would break the line, which no code takes back.
static void print_line(const Progress *progress, const char *file)
{
    Arena *scratch = arena_new();
    Str shown = utf8_display(str_of(file), scratch);
    if (progress->lines) {
        fprintf(stderr, "progress %zu %zu " STR_FMT "\n", progress->done, progress->pairs,
                STR_ARG(shown));
        arena_release(scratch);
        return;
    }
    clear_line();
    if (progress->pairs > 1)
        fprintf(stderr, tr("%zu of %zu pairs done"), progress->done, progress->pairs);
    if (shown.size && shown.size <= FILE_BYTES_MAX) {
        fputs(progress->pairs > 1 ? "; " : "", stderr);
        fprintf(stderr, tr("writing " STR_FMT), STR_ARG(shown));
    }
    arena_release(scratch);
}

void progress_pair_done(Progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->done++;
    print_line(progress, "");
    pthread_mutex_unlock(&progress->lock);
}

void progress_writes(Progress *progress, const char *file)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    print_line(progress, file);
    pthread_mutex_unlock(&progress->lock);
}
