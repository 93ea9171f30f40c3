// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/processors.h"

typedef struct Queue {
    atomic_size_t next;
    size_t count;
    void (*work)(void *context, size_t index);
    void *context;
} Queue;

static void *drain(void *argument)
{
    Queue *queue = argument;
    for (size_t i; (i = atomic_fetch_add(&queue->next, 1)) < queue->count;)
        queue->work(queue->context, i);
    return NULL;
}

void threads_run(size_t count, int jobs, void (*work)(void *context, size_t index), void *context)
{
    Queue queue = {.count = count, .work = work, .context = context};
    atomic_init(&queue.next, 0);
    pthread_t threads[THREADS_MAX];
    int started = 0;
    size_t helpers = jobs > 1 ? (size_t)jobs - 1 : 0;
    if (helpers + 1 > count)
        helpers = count ? count - 1 : 0;
    while ((size_t)started < helpers && started < THREADS_MAX &&
           pthread_create(&threads[started], NULL, drain, &queue) == 0)
        started++;
    drain(&queue);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

int threads_default_jobs(void)
{
    // The same number all through a run, and the files of the system are read once.
    static atomic_int known;
    int jobs = atomic_load(&known);
    if (jobs == 0) {
        jobs = processors_usable();
        atomic_store(&known, jobs);
    }
    return jobs;
}
