// SPDX-License-Identifier: Apache-2.0
#include "base/conveyor.h"

#include <pthread.h>

#include "check.h"

typedef struct Piece {
    unsigned number, worked;
} Piece;

typedef struct Taken {
    unsigned count;
    bool in_order, worked;
    bool in_callers_thread;
    pthread_t caller;
} Taken;

static void *make(Arena *arena)
{
    return ARENA_NEW(arena, Piece);
}

static void work(void *piece)
{
    Piece *at = piece;
    // The first of them take longest.
    for (unsigned volatile i = 0; i < 100000 / (at->number + 1); i++)
        continue;
    at->worked = at->number * 3 + 1;
}

static void take(void *context, void *piece)
{
    Taken *taken = context;
    const Piece *at = piece;
    taken->in_order = taken->in_order && at->number == taken->count;
    taken->worked = taken->worked && at->worked == at->number * 3 + 1;
    taken->in_callers_thread =
        taken->in_callers_thread && pthread_equal(taken->caller, pthread_self());
    taken->count++;
}

static void pieces_come_back_in_order_whatever_the_number_of_threads(void)
{
    static const int jobs[] = {0, 1, 2, 3, 7, 1000};
    static const unsigned counts[] = {0, 1, 2, 5, 500};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            Arena *arena = arena_new();
            Taken taken = {0, true, true, true, pthread_self()};
            ConveyorWork how = {make, work, take, &taken};
            Conveyor *conveyor = conveyor_new(&how, jobs[i], arena);
            for (unsigned n = 0; n < counts[k]; n++) {
                Piece *piece = conveyor_piece(conveyor);
                piece->number = n;
                conveyor_send(conveyor);
            }
            conveyor_end(conveyor);
            CHECK(taken.count == counts[k]);
            CHECK(taken.in_order && taken.worked && taken.in_callers_thread);
            arena_release(arena);
        }
}

int main(void)
{
    CHECK_RUN(pieces_come_back_in_order_whatever_the_number_of_threads);
    return CHECK_RESULT;
}
