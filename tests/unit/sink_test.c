// SPDX-License-Identifier: Apache-2.0
#include "base/sink.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"

static Arena *arena;
static Error err;

static Str content(const char *path)
{
    File file;
    if (!file_open(path, &file, &err))
        return STR("(none)");
    Str text = str_copy(arena, file.text);
    file_close(&file);
    return text;
}

static size_t files_in(const char *folder)
{
    FolderList list = {0};
    return folder_list(folder, arena, &list, &err) ? list.count : 0;
}

static void a_file_appears_when_it_is_whole(void)
{
    CHECK(folder_make("whole/below", &err));
    unlink("whole/below/a.txt");  // of a run before
    Sink *sink = sink_file("whole/below/a.txt", &err);
    sink_text(sink, "first ");
    sink_printf(sink, "%d ", 2);
    CHECK(file_kind("whole/below/a.txt") == FILE_NONE);
    sink_write(sink, "\0x", 2);
    CHECK(sink_commit(sink, &err));
    CHECK(str_equal(content("whole/below/a.txt"), STR("first 2 \0x")));
    CHECK(files_in("whole/below") == 1);
}

static void what_is_given_up_leaves_the_old_file_and_nothing_else(void)
{
    CHECK(folder_make("given", &err));
    Sink *sink = sink_file("given/a.txt", &err);
    sink_text(sink, "old");
    CHECK(sink_commit(sink, &err));
    sink = sink_file("given/a.txt", &err);
    for (int i = 0; i < 100000; i++)
        sink_text(sink, "new ");
    sink_discard(sink);
    CHECK_TEXT(content("given/a.txt"), "old");
    CHECK(files_in("given") == 1);
    sink_discard(NULL);
}

static void a_link_in_the_place_is_replaced_not_followed(void)
{
    CHECK(folder_make("linked", &err));
    Sink *sink = sink_file("linked/far.txt", &err);
    sink_text(sink, "far");
    CHECK(sink_commit(sink, &err));
    unlink("linked/near.txt");
    CHECK(symlink("far.txt", "linked/near.txt") == 0);
    sink = sink_file("linked/near.txt", &err);
    sink_text(sink, "near");
    CHECK(sink_commit(sink, &err));
    CHECK_TEXT(content("linked/far.txt"), "far");
    CHECK_TEXT(content("linked/near.txt"), "near");
}

static void where_nothing_can_be_written_the_reason_is_given(void)
{
    CHECK(sink_file("nowhere/at/all.txt", &err) == NULL);
    CHECK(err.kind == ERR_OUTPUT && strstr(err.text, "cannot write here"));
}

static void memory_holds_what_was_written(void)
{
    Sink *sink = sink_memory(arena);
    CHECK(sink_path(sink) == NULL && sink_bytes(sink).size == 0);
    for (int i = 0; i < 10000; i++)
        sink_str(sink, STR("ab"));
    CHECK(sink_bytes(sink).size == 20000 && sink_bytes(sink).data[19999] == 'b');
    CHECK(sink_commit(sink, &err));
}

// Makes files until the program ends.
static void *write_files(void *folder)
{
    for (int i = 0;; i = (i + 1) % 8) {
        char path[64];
        Error mine;
        snprintf(path, sizeof path, "%s/%d.txt", (const char *)folder, i);
        Sink *sink = sink_file(path, &mine);
        if (sink)
            sink_discard(sink);
    }
    return NULL;
}

static void a_file_that_another_thread_is_about_to_make_does_not_stay_behind(void)
{
    enum { ENDS = 200, THREADS = 3 };
    static char folder[] = "ending";
    CHECK(folder_make(folder, &err));
    size_t of_a_run_before = files_in(folder);
    for (int i = 0; i < ENDS; i++) {
        pid_t child = fork();
        if (child == 0) {
            pthread_t threads[THREADS];
            for (int k = 0; k < THREADS; k++)
                pthread_create(&threads[k], NULL, write_files, folder);
            nanosleep(&(struct timespec){.tv_nsec = i % 10 * 100000}, NULL);
            sink_remove_all_temporary();
            _exit(0);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    CHECK(files_in(folder) == of_a_run_before);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_file_appears_when_it_is_whole);
    CHECK_RUN(what_is_given_up_leaves_the_old_file_and_nothing_else);
    CHECK_RUN(a_link_in_the_place_is_replaced_not_followed);
    CHECK_RUN(where_nothing_can_be_written_the_reason_is_given);
    CHECK_RUN(memory_holds_what_was_written);
    CHECK_RUN(a_file_that_another_thread_is_about_to_make_does_not_stay_behind);
    arena_release(arena);
    return CHECK_RESULT;
}
