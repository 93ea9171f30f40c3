// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_ARCHIVE_GZIP_H
#define VERNIER_READ_ARCHIVE_GZIP_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/words.h"

// gzip (RFC 1952) in memory, and what it is made of.

#define GZIP_BROKEN_TEXT TR("the gzip file breaks off; what comes before is used")
#define ARCHIVE_TOO_LARGE                                                                    \
    TR("it unpacks to more than is read in memory (256 MiB and 200 times its size, at most " \
       "4 GiB): unpack it and name the folder")

#define GZIP_TWICE_TEXT TR("this is packed by gzip twice: unpack it once")

typedef enum GzipEnd {
    GZIP_WHOLE,
    GZIP_BROKEN,     // it breaks off or is damaged: what stands before is there
    GZIP_TOO_LARGE,  // more than the limit
} GzipEnd;

bool gzip_is(Str bytes);

// How much an archive or a dump of so many bytes may be unpacked to: 256 MiB and 200 times its
// size, at most 4 GiB. Text of statistics packs to a tenth, repeated text to a hundredth.
uint64_t gzip_limit(size_t packed);

// *out: what was unpacked, in `arena`: all of it, what stands before the break, or a little more
// than `limit`.
GzipEnd gzip_unpack(Str packed, uint64_t limit, Arena *arena, Str *out);

// A stream of deflate (RFC 1951), as members of a ZIP archive are packed, that holds exactly `size`
// bytes: false if it holds others. No more than deflate can make of so many bytes is asked for.
bool deflate_unpack(Str packed, uint64_t size, Arena *arena, Str *out);

// Its first bytes alone, at most `size`; gives how many.
size_t gzip_begin(Str packed, char *room, size_t size);

#endif
