// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CODE_USAGE = 2, CODE_INPUT = 3, CODE_DIFFERS = 1, CODE_PARTIAL = 4 };

typedef struct Watch {
    Options *options;
    int (*once)(Options *options, Arena *arena);
    sigset_t awaited;  // what ends the watch, and the end of a child
    sigset_t before;   // what was blocked when it began
    pid_t child;       // 0: none
    int last;          // exit code of the last verdict
    bool ended;
} Watch;

static uint64_t inputs_now(const Watch *watch)
{
    Arena *scratch = arena_new();
    uint64_t state = watch->options->command->state(watch->options, scratch);
    arena_release(scratch);
    return state;
}

static void begin(Watch *watch)
{
    fflush(NULL);
    watch->child = fork();
    if (watch->child == 0) {
        sigprocmask(SIG_SETMASK, &watch->before, NULL);
        Arena *arena = arena_new();
        int code = watch->once(watch->options, arena);
        arena_release(arena);
        exit(code);
    }
    if (watch->child < 0)
        watch->child = 0;  // no process can be made now: the next time
}

static void take_result(Watch *watch, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : CODE_INPUT;
    bool verdict = code == 0 || code == CODE_DIFFERS || code == CODE_PARTIAL;
    watch->child = 0;
    watch->last = verdict || code == CODE_USAGE ? code : watch->last;
    watch->ended = watch->ended || code == CODE_USAGE ||
                   (code == CODE_DIFFERS && options_flag(watch->options, "until-diverges"));
}

// Waits for a signal, at most for the interval, and handles it.
static void wait_signal(Watch *watch, double seconds)
{
    struct timespec most = {.tv_sec = (time_t)seconds};
    most.tv_nsec = (long)((seconds - (double)most.tv_sec) * 1e9);
    int number = sigtimedwait(&watch->awaited, NULL, &most);
    int status;
    if (number > 0 && number != SIGCHLD) {
        watch->ended = true;
        if (watch->child)
            kill(watch->child, number);
    }
    if (watch->child && waitpid(watch->child, &status, watch->ended ? 0 : WNOHANG) > 0)
        take_result(watch, status);
}

int watch_run(Options *options, int (*once)(Options *options, Arena *arena))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    Watch watch = {.options = options, .once = once, .last = CODE_INPUT};
    double interval = options_number(options, "interval", WATCH_SECONDS);
    uint64_t seen = 0;
    bool first = true;
    sigemptyset(&watch.awaited);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&watch.awaited, numbers[i]);
    sigprocmask(SIG_BLOCK, &watch.awaited, &watch.before);
    while (!watch.ended) {
        uint64_t now = inputs_now(&watch);
        if (!watch.child && (first || now != seen)) {
            begin(&watch);
            first = first && !watch.child;
            seen = now;
        }
        // A result is taken at once, then the interval passes.
        while (watch.child && !watch.ended)
            wait_signal(&watch, interval);
        if (!watch.ended)
            wait_signal(&watch, interval);
    }
    sigprocmask(SIG_SETMASK, &watch.before, NULL);
    return watch.last;
}
