// SPDX-License-Identifier: Apache-2.0
// Threads under container runtimes older than clone3: their filter answers EPERM, which the C library
// takes for its last word; from ENOSYS it goes on to clone. Linked with --wrap=__clone3.
#include <errno.h>
#include <stddef.h>

int __real___clone3(void *arguments, size_t size, int (*run)(void *), void *argument);
int __wrap___clone3(void *arguments, size_t size, int (*run)(void *), void *argument);

int __wrap___clone3(void *arguments, size_t size, int (*run)(void *), void *argument)
{
    int result = __real___clone3(arguments, size, run, argument);
    if (result == -1 && errno == EPERM)
        errno = ENOSYS;
    return result;
}
