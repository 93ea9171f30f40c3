// SPDX-License-Identifier: Apache-2.0
#include "base/conveyor.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { PLACES_MAX = 32 };

typedef enum PlaceState { PLACE_FREE, PLACE_SENT, PLACE_AT_WORK, PLACE_DONE } PlaceState;

struct Conveyor {
    ConveyorWork work;
    pthread_mutex_t lock;
    pthread_cond_t sent, done;
    void *pieces[PLACES_MAX];
    PlaceState states[PLACES_MAX];
    size_t places;
    uint64_t head, next, tail;  // to be filled, worked on, taken; place = number % places
    pthread_t threads[PLACES_MAX];
    size_t started, wanted;
    bool ended;
};

// Works on the oldest piece that nobody has begun. Called and left with the lock.
static bool work_on_next(Conveyor *conveyor)
{
    if (conveyor->next == conveyor->head)
        return false;
    size_t place = (size_t)(conveyor->next++ % conveyor->places);
    conveyor->states[place] = PLACE_AT_WORK;
    pthread_mutex_unlock(&conveyor->lock);
    conveyor->work.work(conveyor->pieces[place]);
    pthread_mutex_lock(&conveyor->lock);
    conveyor->states[place] = PLACE_DONE;
    pthread_cond_signal(&conveyor->done);
    return true;
}

static void *help(void *argument)
{
    Conveyor *conveyor = argument;
    pthread_mutex_lock(&conveyor->lock);
    while (work_on_next(conveyor) || !conveyor->ended)
        if (conveyor->next == conveyor->head && !conveyor->ended)
            pthread_cond_wait(&conveyor->sent, &conveyor->lock);
    pthread_mutex_unlock(&conveyor->lock);
    return NULL;
}

Conveyor *conveyor_new(const ConveyorWork *work, int jobs, Arena *arena)
{
    Conveyor *conveyor = ARENA_NEW(arena, Conveyor);
    conveyor->work = *work;
    conveyor->wanted = jobs > 1 ? (size_t)jobs - 1 : 0;
    if (conveyor->wanted > PLACES_MAX / 2 - 1)
        conveyor->wanted = PLACES_MAX / 2 - 1;
    // Two for each thread: one at work, one waiting.
    conveyor->places = conveyor->wanted ? 2 * (conveyor->wanted + 1) : 1;
    for (size_t i = 0; i < conveyor->places; i++)
        conveyor->pieces[i] = work->make(arena);
    pthread_mutex_init(&conveyor->lock, NULL);
    pthread_cond_init(&conveyor->sent, NULL);
    pthread_cond_init(&conveyor->done, NULL);
    return conveyor;
}

// Takes the oldest piece, when it is done. Called and left with the lock.
static void take_oldest(Conveyor *conveyor)
{
    size_t place = (size_t)(conveyor->tail % conveyor->places);
    while (conveyor->states[place] != PLACE_DONE)
        if (!work_on_next(conveyor))
            pthread_cond_wait(&conveyor->done, &conveyor->lock);
    pthread_mutex_unlock(&conveyor->lock);
    conveyor->work.take(conveyor->work.context, conveyor->pieces[place]);
    pthread_mutex_lock(&conveyor->lock);
    conveyor->states[place] = PLACE_FREE;
    conveyor->tail++;
}

void *conveyor_piece(Conveyor *conveyor)
{
    size_t place = (size_t)(conveyor->head % conveyor->places);
    pthread_mutex_lock(&conveyor->lock);
    while (conveyor->head - conveyor->tail == conveyor->places)
        take_oldest(conveyor);
    pthread_mutex_unlock(&conveyor->lock);
    return conveyor->pieces[place];
}

void conveyor_send(Conveyor *conveyor)
{
    pthread_mutex_lock(&conveyor->lock);
    conveyor->states[conveyor->head++ % conveyor->places] = PLACE_SENT;
    pthread_cond_signal(&conveyor->sent);
    // A single piece is not worth a thread.
    if (conveyor->head > 1 && conveyor->started < conveyor->wanted &&
        pthread_create(&conveyor->threads[conveyor->started], NULL, help, conveyor) == 0)
        conveyor->started++;
    pthread_mutex_unlock(&conveyor->lock);
}

void conveyor_end(Conveyor *conveyor)
{
    pthread_mutex_lock(&conveyor->lock);
    while (conveyor->tail != conveyor->head)
        take_oldest(conveyor);
    conveyor->ended = true;
    pthread_cond_broadcast(&conveyor->sent);
    pthread_mutex_unlock(&conveyor->lock);
    for (size_t i = 0; i < conveyor->started; i++)
        pthread_join(conveyor->threads[i], NULL);
    pthread_cond_destroy(&conveyor->sent);
    pthread_cond_destroy(&conveyor->done);
    pthread_mutex_destroy(&conveyor->lock);
}
