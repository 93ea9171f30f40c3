// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static void is_line(size_t done, size_t pairs, double seconds, const char *file, const char *want)
{
    Arena *arena = arena_new();
    CHECK_TEXT(progress_line(done, pairs, seconds, 2, str_of(file), arena), want);
    arena_release(arena);
}

static void the_line_says_what_is_done_and_for_how_long(void)
{
    is_line(0, 0, 0.6, "", "reading, 1 s");
    is_line(0, 1, 7, "", "comparing, 7 s");
    is_line(1, 1, 7, "index.html", "writing index.html");
    is_line(0, 8, 7, "", "0 of 8 pairs done");
}

static void the_time_left_is_that_of_the_pairs_so_far(void)
{
    is_line(2, 8, 12, "", "2 of 8 pairs done, about 30 s left");
    is_line(2, 8, 12, "a.svg", "2 of 8 pairs done, about 30 s left; writing a.svg");
    is_line(1, 41, 12, "", "1 of 41 pairs done, about 7 min left");
    is_line(7, 8, 2.7, "", "7 of 8 pairs done");
    is_line(8, 8, 12, "index.html", "8 of 8 pairs done; writing index.html");
}

static void without_a_terminal_there_is_none(void)
{
    int terminal = dup(STDERR_FILENO), file = open("/dev/null", O_WRONLY);
    CHECK(terminal >= 0 && file >= 0 && setenv("TERM", "xterm", 1) == 0);
    dup2(file, STDERR_FILENO);
    Progress *progress = progress_start(false);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    close(file);
    CHECK(progress == NULL);
    progress_pairs(NULL, 3);
    progress_pair_done(NULL);
    progress_writes(NULL, "a");
    progress_end(NULL);
}

int main(void)
{
    CHECK_RUN(the_line_says_what_is_done_and_for_how_long);
    CHECK_RUN(the_time_left_is_that_of_the_pairs_so_far);
    CHECK_RUN(without_a_terminal_there_is_none);
    return CHECK_RESULT;
}
