// SPDX-License-Identifier: Apache-2.0
#include "base/crew.h"

#include <pthread.h>
#include <stdbool.h>

struct Crew {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    CrewTask *first, **last;  // that wait, the oldest first
    bool ended;
};

Crew *crew_new(Arena *arena)
{
    Crew *crew = ARENA_NEW(arena, Crew);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    crew->last = &crew->first;
    return crew;
}

void crew_free(Crew *crew)
{
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
}

void crew_give(Crew *crew, CrewTask *task)
{
    task->state = CREW_WAITING;
    task->next = NULL;
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    *crew->last = task;
    crew->last = &task->next;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

// Does the oldest task that waits; the lock is held before and after, not meanwhile.
static void do_first(Crew *crew)
{
    CrewTask *task = crew->first;
    crew->first = task->next;
    if (!crew->first)
        crew->last = &crew->first;
    task->state = CREW_TAKEN;
    pthread_mutex_unlock(&crew->lock);
    task->work(task);
    pthread_mutex_lock(&crew->lock);
    task->state = CREW_DONE;
    pthread_cond_broadcast(&crew->changed);
}

void crew_finish(Crew *crew, CrewTask *task)
{
    if (!crew) {
        task->work(task);
        task->state = CREW_IDLE;
        return;
    }
    pthread_mutex_lock(&crew->lock);
    while (task->state != CREW_DONE) {
        if (crew->first)
            do_first(crew);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
    }
    task->state = CREW_IDLE;
    pthread_mutex_unlock(&crew->lock);
}

void crew_help(Crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->first || !crew->ended) {
        if (crew->first)
            do_first(crew);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

void crew_end(Crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->ended = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}
