// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE  // sched_setaffinity
#include "base/processors.h"

#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/path.h"
#include "check.h"

static Arena *arena;

static void write_file(const char *folder, const char *name, const char *text)
{
    mkdir(folder, 0777);
    FILE *file = fopen(path_join(arena, folder, str_of(name)), "w");
    CHECK(file != NULL);
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

static void a_group_and_those_above_it_bound_the_processors(void)
{
    mkdir("groups", 0777);
    write_file("groups", "note", "");
    write_file("groups/job", "cpu.max", "400000 100000\n");
    write_file("groups/job/step", "cpu.max", "max 100000\n");
    write_file("groups/job/half", "cpu.max", "150000 100000\n");
    CHECK(processors_of_groups("groups", STR("0::/job/step\n"), arena) == 4);
    CHECK(processors_of_groups("groups", STR("0::/job/half"), arena) == 2);
    CHECK(processors_of_groups("groups", STR("0::/job"), arena) == 4);
    CHECK(processors_of_groups("groups", STR("0::/"), arena) == 0);
    CHECK(processors_of_groups("groups", STR("0::/elsewhere"), arena) == 0);
    CHECK(processors_of_groups("groups", STR(""), arena) == 0);
    CHECK(processors_of_groups("groups", STR("nonsense\n::\n0"), arena) == 0);
}

static void version_1_has_its_quota_beside_its_period(void)
{
    mkdir("old", 0777);
    mkdir("old/cpu", 0777);
    write_file("old/cpu/docker", "cpu.cfs_quota_us", "300000\n");
    write_file("old/cpu/docker", "cpu.cfs_period_us", "100000\n");
    write_file("old/cpu/free", "cpu.cfs_quota_us", "-1\n");
    write_file("old/cpu/free", "cpu.cfs_period_us", "100000\n");
    Str own = STR("5:memory:/x\n4:cpu,cpuacct:/docker\n1:name=systemd:/y\n");
    CHECK(processors_of_groups("old", own, arena) == 3);
    CHECK(processors_of_groups("old", STR("4:cpuacct,cpu:/free\n"), arena) == 0);
    CHECK(processors_of_groups("old", STR("4:cpuset:/docker\n"), arena) == 0);
}

static void a_process_held_to_one_processor_uses_one(void)
{
    cpu_set_t all, one;
    CHECK(processors_usable() >= 1);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        CHECK_SKIP("the affinity of the process");
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        CHECK_SKIP("the right to choose a processor");
    CHECK(processors_usable() == 1);
    sched_setaffinity(0, sizeof all, &all);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_group_and_those_above_it_bound_the_processors);
    CHECK_RUN(version_1_has_its_quota_beside_its_period);
    CHECK_RUN(a_process_held_to_one_processor_uses_one);
    arena_release(arena);
    return CHECK_RESULT;
}
