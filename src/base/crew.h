// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_CREW_H
#define VERNIER_BASE_CREW_H

#include "base/arena.h"

// Threads that have nothing to do any more take over work of one that has. Where there is none, or
// no crew at all, whoever gave the work does it when it needs the result.
typedef struct Crew Crew;

typedef enum CrewState { CREW_IDLE, CREW_WAITING, CREW_TAKEN, CREW_DONE } CrewState;

// Stays where it is from crew_give to the end of crew_finish.
typedef struct CrewTask {
    void (*work)(struct CrewTask *task);
    CrewState state;
    struct CrewTask *next;
} CrewTask;

Crew *crew_new(Arena *arena);
void crew_free(Crew *crew);  // when nobody helps any more

void crew_give(Crew *crew, CrewTask *task);    // crew NULL: there is none
void crew_finish(Crew *crew, CrewTask *task);  // returns when the task is done, and is idle again

void crew_help(Crew *crew);  // works on what is given, until crew_end
void crew_end(Crew *crew);   // nothing more will be given

#endif
