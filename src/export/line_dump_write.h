// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_LINE_DUMP_WRITE_H
#define VERNIER_EXPORT_LINE_DUMP_WRITE_H

#include "base/sink.h"
#include "read/dump/construct.h"
#include "read/dump/dump.h"

// Writes a dump as vernier.dump/1 (docs/dump-format.md), so that reading it gives the records again
// but for the files of tensors, which stay where they are. `construct` gives the parents; one
// without entries gives none.
void line_dump_write(const Dump *dump, const Construct *construct, Sink *out);

#endif
