// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"
#include "base/str.h"
#include "base/words.h"

extern char **environ;

typedef char **Words;  // of a command, ended by NULL
typedef struct Openers {
    Words *items;
    size_t count, capacity;
} Openers;

typedef enum Answer { ANSWER_SHOWN, ANSWER_NONE, ANSWER_FAILED } Answer;

enum { ANSWER_MS = 2000, WORDS_MAX = 32 };

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool in_ci(void)
{
    return is_set("CI") && !STR_IN(str_of(getenv("CI")), "false", "0");
}

static bool has_display(void)
{
#ifdef __APPLE__
    return !is_set("SSH_CONNECTION");
#else
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("WSL_DISTRO_NAME");
#endif
}

// "firefox --new-window %s"
static void add_opener(Openers *openers, Str command, const char *file, Arena *arena)
{
    Words words = ARENA_ARRAY(arena, char *, WORDS_MAX + 2);
    size_t count = 0;
    bool placed = false;
    Str word;
    while (count < WORDS_MAX && str_split(&command, ' ', &word)) {
        size_t at = str_find(word, STR("%s"), 0);
        if (word.size == 0)
            continue;
        if (at != SIZE_MAX && count)
            word = str_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(str_slice(word, 0, at)), file,
                              STR_ARG(str_slice(word, at + 2, word.size)));
        placed = placed || (at != SIZE_MAX && count);
        words[count++] = str_cstr(arena, word);
    }
    if (count && !placed)
        words[count] = str_cstr(arena, str_of(file));
    if (count)
        *ARRAY_PUSH(arena, openers) = words;
}

static Openers find_openers(const char *file, Arena *arena)
{
    static const char *const usual[] = {"wslview", "xdg-open", "open"};
    Openers openers = {0};
    Str rest = str_of(getenv("BROWSER")), command;
    while (rest.size && str_split(&rest, ':', &command))
        add_opener(&openers, command, file, arena);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_opener(&openers, str_of(usual[i]), file, arena);
    return openers;
}

// In a process of its own, which stays until the opener ends: the terminal is neither read nor
// written by what was opened, nor do its signals reach it.
static void open_detached(const Openers *openers, int answer_to)
{
    char answer = ANSWER_NONE;
    int nothing = open("/dev/null", O_RDWR);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    setsid();
    for (int i = 0; nothing >= 0 && i <= STDERR_FILENO; i++)
        dup2(nothing, i);
    for (size_t i = 0; i < openers->count && answer == ANSWER_NONE; i++) {
        Words words = openers->items[i];
        pid_t process;
        int status = 0;
        if (posix_spawnp(&process, words[0], NULL, NULL, words, environ) != 0)
            continue;
        while (waitpid(process, &status, 0) < 0 && errno == EINTR)
            continue;
        // POSIX lets posix_spawnp tell so, too, that there is no such program.
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
            continue;
        answer = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ANSWER_SHOWN : ANSWER_FAILED;
    }
    _exit(write(answer_to, &answer, 1) == 1 ? 0 : 1);
}

// One that still runs has shown it.
static Answer await(int from)
{
    struct pollfd pipe_end = {.fd = from, .events = POLLIN};
    char answer = ANSWER_FAILED;
    int ready;
    do
        ready = poll(&pipe_end, 1, ANSWER_MS);
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return ANSWER_SHOWN;
    return read(from, &answer, 1) == 1 ? (Answer)answer : ANSWER_FAILED;
}

static Answer start(const Openers *openers)
{
    int ends[2];
    if (pipe(ends) != 0)
        return ANSWER_FAILED;
    for (int i = 0; i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    pid_t process = fork();
    if (process == 0)
        open_detached(openers, ends[1]);
    close(ends[1]);
    Answer answer = process < 0 ? ANSWER_FAILED : await(ends[0]);
    close(ends[0]);
    return answer;
}

const char *opener_show(const char *path)
{
    if (isatty(STDOUT_FILENO) != 1 && isatty(STDERR_FILENO) != 1)
        return tr("this is no terminal");
    if (in_ci())
        return tr("the environment says CI");
    if (!has_display())
        return tr("there is no display");
    char here[PATH_MAX] = ".";
    Arena *scratch = arena_new();
    bool whole = path[0] == '/' || !getcwd(here, sizeof here);
    Openers openers = find_openers(whole ? path : path_join(scratch, here, str_of(path)), scratch);
    Answer answer = start(&openers);
    arena_release(scratch);
    return answer == ANSWER_NONE     ? tr("neither $BROWSER, wslview, xdg-open nor open is here")
           : answer == ANSWER_FAILED ? tr("the program that opens it failed")
                                     : NULL;
}
