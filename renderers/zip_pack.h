// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_ZIP_PACK_H
#define VERNIER_RENDERERS_ZIP_PACK_H

#include "base/error.h"
#include "base/sink.h"

// A zip archive, written part by part to a sink as it is made: nothing is kept of a part but a
// block. Blocks are deflated side by side in threads, each with what came before it as its
// dictionary, so that the bytes are the same for any number of threads. Dates are 1980-01-01, the
// first day of zip. Format: PKWARE APPNOTE.TXT 4.3, 4.4, without Zip64.
typedef struct ZipPack ZipPack;

enum { ZIP_PARTS_MAX = 65535 };
#define ZIP_PART_BYTES_MAX UINT32_MAX  // of a part before it is deflated, and of the archive

ZipPack *zip_pack_new(Sink *out, int jobs, Arena *arena);

// Ends the part before it; `name` is ASCII and stays valid until the end.
void zip_pack_part(ZipPack *pack, const char *name);
void zip_pack_write(ZipPack *pack, Str bytes);

// Ends the archive. False if it, or a part, is larger than the format can say; whether the sink
// took it, its commit tells. Has to be called whatever happened.
bool zip_pack_end(ZipPack *pack, Error *err);

#endif
