// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/watch.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "commands/machinery/console.h"
#include "commands/machinery/packed_inputs.h"

enum { CODE_USAGE = 2, CODE_INPUT = 3, CODE_DIFFERS = 1, CODE_PARTIAL = 4 };

typedef struct Watch {
    Options *options;
    int (*once)(Options *options, Arena *arena);
    sigset_t awaited;  // what ends the watch, and the end of a child
    sigset_t before;   // what was blocked when it began
    pid_t child;       // 0: none
    int last;          // exit code of the last verdict
    uint64_t seen;     // state of the inputs that was drawn last
    bool seen_any;
    double changed;  // when, in seconds
    bool ended;
} Watch;

// Whether the process that writes is no more; one that nobody has waited for yet is none either.
static bool is_gone(pid_t process)
{
    char path[64], text[256] = "";
    if (kill(process, 0) != 0 && errno == ESRCH)
        return true;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char *name_end = size ? strrchr(text, ')') : NULL;
    return name_end && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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

// The inputs as they are now; true if they are drawn because of it.
static bool look(Watch *watch)
{
    uint64_t now = inputs_now(watch);
    if (watch->seen_any && now == watch->seen)
        return false;
    begin(watch);
    watch->seen_any = watch->seen_any || watch->child;
    watch->seen = now;
    watch->changed = seconds_now();
    return true;
}

// Draws as the inputs change, until the process that writes is gone or they rest for long enough:
// what was written last is drawn before the end.
static void follow(Watch *watch)
{
    double interval = options_number(watch->options, "interval", WATCH_SECONDS);
    double idle = options_number(watch->options, "idle", INFINITY);
    double number = options_number(watch->options, "pid", 0);
    pid_t process = number >= 1 && number <= INT32_MAX ? (pid_t)number : 0;
    watch->changed = seconds_now();
    while (!watch->ended) {
        bool gone = process && is_gone(process);
        bool drawn = look(watch);
        double rest = watch->changed + idle - seconds_now();
        while (watch->child && !watch->ended)
            wait_signal(watch, interval);
        watch->ended = watch->ended || (!drawn && (gone || rest <= 0));
        if (!watch->ended)
            wait_signal(watch, gone ? 0.01 : fmin(interval, fmax(rest, 0.01)));
    }
}

// Seen by all processes that draw; NULL if there is no room for it: then each says all.
static Told *told_make(void)
{
    FILE *file = tmpfile();
    void *shared = MAP_FAILED;
    if (file && ftruncate(fileno(file), sizeof(Told)) == 0)
        shared = mmap(NULL, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (file)
        fclose(file);
    return shared == MAP_FAILED ? NULL : shared;
}

bool watch_check(const Options *options, Error *err)
{
    double interval = options_number(options, "interval", 1);
    bool watch = options_flag(options, "watch");
    static const char *const companions[] = {"interval", "pid", "idle", "until-diverges"};
    for (size_t i = 0; !watch && i < sizeof companions / sizeof *companions; i++)
        if (options_given(options, companions[i]))
            return error_set(err, ERR_USAGE, NOWHERE, tr("--%s: goes with --watch"), companions[i]);
    double idle = options_number(options, "idle", 1), process = options_number(options, "pid", 1);
    if (!(process >= 1 && process <= INT32_MAX && process == floor(process)))
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--pid: expected the number of a process"));
    if (!(idle >= 0.1 && idle <= 1e9))
        return error_set(err, ERR_USAGE, NOWHERE, "%s", tr("--idle: expected seconds from 0.1"));
    if (options_flag(options, "until-diverges") && options_flag(options, "exit-zero"))
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--until-diverges: --exit-zero would hide why it ends"));
    if (!(interval >= 0.1) || interval > 86400)
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--interval: expected seconds from 0.1 to 86400"));
    Arena *scratch = arena_new();
    bool stream = false;
    for (size_t i = 0; i < options->argument_count && watch; i++)
        stream = stream || packed_input_is_stream(str_cstr(scratch, options->arguments[i]));
    arena_release(scratch);
    if (stream)
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--watch: a pipe can be read once only; name the file"));
    if (watch && options_given(options, "history"))
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--watch: a run that still goes on is no night of --history"));
    return true;
}

static uint64_t mixed(uint64_t state, uint64_t value)
{
    return (state ^ value) * 0x100000001b3u + 0x9e3779b9u;
}

uint64_t watch_file_state(const char *path, uint64_t state)
{
    FileStamp stamp = file_stamp(path);
    state = mixed(mixed(state, stamp.inode), stamp.size);
    return mixed(mixed(state, (uint64_t)stamp.second), (uint64_t)stamp.nanosecond);
}

int watch_run(Options *options, int (*once)(Options *options, Arena *arena))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    Watch watch = {.options = options, .once = once, .last = CODE_INPUT};
    sigemptyset(&watch.awaited);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&watch.awaited, numbers[i]);
    sigprocmask(SIG_BLOCK, &watch.awaited, &watch.before);
    options->told = told_make();
    follow(&watch);
    if (options->told)
        munmap(options->told, sizeof(Told));
    options->told = NULL;
    sigprocmask(SIG_SETMASK, &watch.before, NULL);
    return watch.last;
}
