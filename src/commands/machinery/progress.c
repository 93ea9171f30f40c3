// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "base/words.h"

enum { FILE_BYTES_MAX = 40 };  // with what stands before it a line of 80 columns

// What takes less is over before it is read; a faster line cannot be read.
static const double shown_from = 0.5, redrawn_after = 0.25;
static const double minutes_from = 120;

struct Progress {
    pthread_mutex_t lock;
    pthread_cond_t end;
    pthread_t drawer;
    bool draws, ending;  // `drawer` runs; it shall end
    size_t done, pairs;
    double started, pairs_at;
    char file[FILE_BYTES_MAX + 1];
    bool lines;  // for a program that reads them
};

static bool can_clear(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind && *kind && strcmp(kind, "dumb") != 0;
}

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void clear_line(void)
{
    fputs("\r\x1b[K", stderr);
}

static void add_left(StrBuf *line, double seconds)
{
    if (seconds >= minutes_from)
        strbuf_printf(line, tr(", about %.0f min left"), seconds / 60);
    else if (seconds >= 1)
        strbuf_printf(line, tr(", about %.0f s left"), seconds);
}

Str progress_line(size_t done, size_t pairs, double seconds, double pairs_at, Str file,
                  Arena *arena)
{
    StrBuf line = strbuf_new(arena);
    double each = done ? (seconds - pairs_at) / (double)done : 0;
    if (pairs > 1) {
        strbuf_printf(&line, tr("%zu of %zu pairs done"), done, pairs);
        add_left(&line, each * (double)(pairs - done));
    }
    if (file.size)
        strbuf_printf(&line, "%s", line.size ? tr("; ") : "");
    if (file.size)
        strbuf_printf(&line, tr("writing " STR_FMT), STR_ARG(file));
    else if (pairs <= 1)
        strbuf_printf(&line, pairs ? tr("comparing, %.0f s") : tr("reading, %.0f s"), seconds);
    return strbuf_str(&line);
}

// With the lock, which is let go while the terminal takes its time.
static void draw(Progress *progress)
{
    Arena *scratch = arena_new();
    double seconds = now(CLOCK_MONOTONIC) - progress->started;
    Str file = str_copy(scratch, str_of(progress->file));
    Str line =
        progress_line(progress->done, progress->pairs, seconds, progress->pairs_at, file, scratch);
    pthread_mutex_unlock(&progress->lock);
    clear_line();
    fprintf(stderr, STR_FMT, STR_ARG(line));
    arena_release(scratch);
    pthread_mutex_lock(&progress->lock);
}

// The calls tell what is done; this alone prints it.
static void *draw_often(void *context)
{
    Progress *progress = context;
    double next = now(CLOCK_REALTIME) + shown_from;
    bool shown = false;
    pthread_mutex_lock(&progress->lock);
    while (!progress->ending) {
        struct timespec until = {.tv_sec = (time_t)next};
        until.tv_nsec = (long)((next - (double)until.tv_sec) * 1e9);
        if (pthread_cond_timedwait(&progress->end, &progress->lock, &until) == 0)
            continue;
        draw(progress);
        shown = true;
        next = now(CLOCK_REALTIME) + redrawn_after;
    }
    if (shown)
        clear_line();
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

Progress *progress_start(bool quiet)
{
    const char *asked = getenv("VERNIER_PROGRESS");
    bool lines = asked && strcmp(asked, "lines") == 0;
    if (!lines && (quiet || !can_clear()))
        return NULL;
    Progress *progress = calloc(1, sizeof *progress);
    if (!progress) {
        out_of_memory();
        return NULL;
    }
    progress->lines = lines;
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->end, NULL);
    progress->started = now(CLOCK_MONOTONIC);
    progress->draws = !lines && pthread_create(&progress->drawer, NULL, draw_often, progress) == 0;
    return progress;
}

void progress_end(Progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->ending = true;
    pthread_cond_signal(&progress->end);
    pthread_mutex_unlock(&progress->lock);
    if (progress->draws)
        pthread_join(progress->drawer, NULL);
    pthread_cond_destroy(&progress->end);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}

void progress_pairs(Progress *progress, size_t count)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->pairs = count;
    progress->pairs_at = now(CLOCK_MONOTONIC) - progress->started;
    pthread_mutex_unlock(&progress->lock);
}

// Names may hold the words of an input; a long one would break the line, which no code takes back.
static void tell(Progress *progress, const char *file)
{
    Arena *scratch = arena_new();
    Str shown = utf8_display(str_of(file), scratch);
    if (progress->lines)
        fprintf(stderr, "progress %zu %zu " STR_FMT "\n", progress->done, progress->pairs,
                STR_ARG(shown));
    else
        snprintf(progress->file, sizeof progress->file, STR_FMT,
                 STR_ARG(shown.size <= FILE_BYTES_MAX ? shown : STR("")));
    arena_release(scratch);
}

void progress_pair_done(Progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->done++;
    tell(progress, "");
    pthread_mutex_unlock(&progress->lock);
}

void progress_writes(Progress *progress, const char *file)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    tell(progress, file);
    pthread_mutex_unlock(&progress->lock);
}
