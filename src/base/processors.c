// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE  // sched_getaffinity
#include "base/processors.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/path.h"

// The whole text of a small file of the system; such files tell no size.
static Str read_small(const char *path, Arena *arena)
{
    enum { MOST = 4096 };
    char *text = ARENA_ARRAY(arena, char, MOST);
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    return str_trim((Str){text, size});
}

static int round_up(int64_t quota, int64_t period)
{
    if (quota <= 0 || period <= 0 || quota / period >= 1 << 20)
        return 0;
    return (int)(quota / period + (quota % period != 0));
}

// "max 100000" or "150000 100000".
static int bound_of_version_2(const char *folder, Arena *arena)
{
    int64_t quota, period;
    Str rest = read_small(path_join(arena, folder, STR("cpu.max")), arena), first;
    if (!str_split(&rest, ' ', &first) || !str_to_int64(first, &quota) ||
        !str_to_int64(rest, &period))
        return 0;
    return round_up(quota, period);
}

static int bound_of_version_1(const char *folder, Arena *arena)
{
    int64_t quota, period;
    Str text = read_small(path_join(arena, folder, STR("cpu.cfs_quota_us")), arena);
    Str each = read_small(path_join(arena, folder, STR("cpu.cfs_period_us")), arena);
    return str_to_int64(text, &quota) && str_to_int64(each, &period) ? round_up(quota, period) : 0;
}

static int smaller(int a, int b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

// The least bound of the group and of those above it.
static int bound_of(const char *mount, Str group, int (*bound)(const char *folder, Arena *arena),
                    Arena *arena)
{
    int least = 0;
    if (str_equal(group, STR("/")))
        group.size = 0;
    for (;;) {
        const char *folder = str_cstr(arena, str_concat(arena, str_of(mount), group));
        least = smaller(least, bound(folder, arena));
        size_t slash = str_rfind_char(group, '/');
        if (slash == SIZE_MAX)
            return least;
        group = str_slice(group, 0, slash);
    }
}

static bool names_cpu(Str controllers)
{
    Str one;
    while (str_split(&controllers, ',', &one))
        if (str_equal(one, STR("cpu")))
            return true;
    return false;
}

int processors_of_groups(const char *root, Str own, Arena *arena)
{
    int least = 0;
    Str line, number, controllers;
    while (str_split(&own, '\n', &line)) {
        if (!str_split(&line, ':', &number) || !str_split(&line, ':', &controllers))
            continue;
        if (controllers.size == 0)
            least = smaller(least, bound_of(root, line, bound_of_version_2, arena));
        else if (names_cpu(controllers))
            least = smaller(least, bound_of(path_join(arena, root, STR("cpu")), line,
                                            bound_of_version_1, arena));
    }
    return least;
}

static int allowed(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

int processors_usable(void)
{
    Arena *arena = arena_new();
    Str own = read_small("/proc/self/cgroup", arena);
    int count = smaller(allowed(), processors_of_groups("/sys/fs/cgroup", own, arena));
    arena_release(arena);
    return count > 0 ? count : 1;
}
