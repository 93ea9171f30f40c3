// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "base/crc32c.h"
#include "fuzz_input.h"
#include "read/log/event_records.h"
#include "read/monitor/event_table.h"
#include "read/table/event_stream.h"

// Any bytes as the messages of an event file: each part up to a byte 0xFF becomes a record with the
// right checksums, so that the readers behind them are reached.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_little(StrBuf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_add_char(out, (char)(value >> (8 * i) & 0xFF));
}

static void add_record(StrBuf *out, Str message)
{
    size_t at = out->size;
    add_little(out, message.size, 8);
    add_little(out, crc32c_masked(out->data + at, 8), 4);
    strbuf_add(out, message);
    add_little(out, crc32c_masked(message.data, message.size), 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    Parts parts = {0};
    StrBuf file;
    notices_init(&notices, arena);
    file = strbuf_new(arena);
    Str rest = {(const char *)data, size}, message;
    while (str_split(&rest, '\xFF', &message))
        add_record(&file, message);
    Str bytes = fuzz_copy((const uint8_t *)file.data, file.size);
    demand(event_stream_is(bytes));
    event_file_read("events.out.tfevents.1", bytes, arena, &parts, &notices, &err);
    EventGroups kinds = event_table_kinds(bytes, arena);
    EventStream end;
    uint64_t broken = 0;
    for (size_t i = 0; i < kinds.count && i < 4; i++)
        event_table(bytes, kinds.items[i], arena, &end, &broken);
    free((void *)bytes.data);
    arena_release(arena);
    return 0;
}
