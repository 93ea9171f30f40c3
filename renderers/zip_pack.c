// SPDX-License-Identifier: Apache-2.0
#include "renderers/zip_pack.h"

#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/conveyor.h"
#include "base/words.h"

// Level 3 takes half the time of zlib's usual 6 and makes sheets an eighth larger. As further back
// as WINDOW_BYTES deflate does not look.
enum { LEVEL = 3, BLOCK_BYTES = 1 << 18, WINDOW_BYTES = 1 << 15, FIRST_DAY = 0x21 };

// Lengths of the records of the format, without names.
enum { LOCAL_BYTES = 30, DESCRIPTOR_BYTES = 16, ENTRY_BYTES = 46, END_BYTES = 22 };

typedef struct Block {
    const char *name;  // of the part that it begins, or NULL
    bool last;         // of its part
    size_t known;      // bytes of the part before it, up to a window, in front of `raw`
    size_t size;       // bytes of `raw` behind them
    unsigned char raw[WINDOW_BYTES + BLOCK_BYTES];
    unsigned char *packed;
    size_t packed_size, packed_room;
    uint32_t crc;
    z_stream stream;
} Block;

typedef struct Entry {
    const char *name;
    uint32_t crc;
    uint64_t size, packed, offset;
    bool described;  // its sizes stand behind it, not in front of it
} Entry;

struct ZipPack {
    Sink *out;
    Arena *arena;
    Conveyor *conveyor;
    Block *block;  // that is being filled, or NULL
    struct {
        Entry *items;
        size_t count, capacity;
    } entries;
    uint64_t written;
};

static void *zlib_alloc(void *arena, unsigned count, unsigned size)
{
    return arena_array(arena, count, size);
}

static void zlib_free(void *arena, void *memory)
{
    (void)arena, (void)memory;
}

static void *make_block(Arena *arena)
{
    Block *block = ARENA_NEW(arena, Block);
    block->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = arena};
    // Raw deflate. It has its memory from the arena, and the other arguments are right.
    if (deflateInit2(&block->stream, LEVEL, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        out_of_memory();
    // The mark at its end comes to what a block of nothing needs.
    block->packed_room = deflateBound(&block->stream, BLOCK_BYTES) + 16;
    block->packed = arena_alloc(arena, block->packed_room);
    return block;
}

static void pack_block(void *piece)
{
    Block *block = piece;
    z_stream *stream = &block->stream;
    unsigned char *raw = block->raw + block->known;
    deflateReset(stream);
    if (block->known)
        deflateSetDictionary(stream, block->raw, (unsigned)block->known);
    stream->next_in = raw;
    stream->avail_in = (unsigned)block->size;
    stream->next_out = block->packed;
    stream->avail_out = (unsigned)block->packed_room;
    deflate(stream, block->last ? Z_FINISH : Z_SYNC_FLUSH);
    block->packed_size = block->packed_room - stream->avail_out;
    block->crc = (uint32_t)crc32(0, raw, (unsigned)block->size);
}

static unsigned char *put(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *at++ = (unsigned char)(value >> 8 * i);
    return at;
}

static void write_bytes(ZipPack *pack, const void *bytes, size_t size)
{
    sink_write(pack->out, bytes, size);
    pack->written += size;
}

// What the header in front of a part and its entry in the list at the end share.
static unsigned char *put_common(unsigned char *at, const Entry *entry, bool with_sizes)
{
    enum { VERSION = 20, SIZES_BEHIND = 8, DEFLATED = 8 };
    at = put(at, VERSION, 2);
    at = put(at, entry->described ? SIZES_BEHIND : 0, 2);
    at = put(at, DEFLATED, 2);
    at = put(at, 0, 2);
    at = put(at, FIRST_DAY, 2);
    at = put(at, with_sizes ? entry->crc : 0, 4);
    at = put(at, with_sizes ? entry->packed : 0, 4);
    at = put(at, with_sizes ? entry->size : 0, 4);
    at = put(at, strlen(entry->name), 2);
    return put(at, 0, 2);
}

static void begin_entry(ZipPack *pack, const Block *block)
{
    Entry *entry = ARRAY_PUSH(pack->arena, &pack->entries);
    *entry = (Entry){.name = block->name, .offset = pack->written, .described = !block->last};
    if (block->last) {
        entry->crc = block->crc;
        entry->size = block->size;
        entry->packed = block->packed_size;
    }
    unsigned char header[LOCAL_BYTES];
    put_common(put(header, 0x04034b50, 4), entry, block->last);
    write_bytes(pack, header, sizeof header);
    write_bytes(pack, entry->name, strlen(entry->name));
}

static void describe_entry(ZipPack *pack, const Entry *entry)
{
    unsigned char descriptor[DESCRIPTOR_BYTES], *at = put(descriptor, 0x08074b50, 4);
    at = put(at, entry->crc, 4);
    at = put(at, entry->packed, 4);
    put(at, entry->size, 4);
    write_bytes(pack, descriptor, sizeof descriptor);
}

static void take_block(void *context, void *piece)
{
    ZipPack *pack = context;
    const Block *block = piece;
    if (block->name)
        begin_entry(pack, block);
    Entry *entry = &pack->entries.items[pack->entries.count - 1];
    if (entry->described) {
        entry->crc = (uint32_t)crc32_combine(entry->crc, block->crc, (z_off_t)block->size);
        entry->size += block->size;
        entry->packed += block->packed_size;
    }
    write_bytes(pack, block->packed, block->packed_size);
    if (block->last && entry->described)
        describe_entry(pack, entry);
}

ZipPack *zip_pack_new(Sink *out, int jobs, Arena *arena)
{
    ZipPack *pack = ARENA_NEW(arena, ZipPack);
    ConveyorWork work = {make_block, pack_block, take_block, pack};
    *pack = (ZipPack){.out = out, .arena = arena, .conveyor = conveyor_new(&work, jobs, arena)};
    return pack;
}

static Block *next_block(ZipPack *pack, const char *name, bool last)
{
    Block *block = conveyor_piece(pack->conveyor);
    block->name = name;
    block->last = last;
    block->known = block->size = 0;
    return block;
}

static void end_part(ZipPack *pack)
{
    if (!pack->block)
        return;
    pack->block->last = true;
    conveyor_send(pack->conveyor);
    pack->block = NULL;
}

void zip_pack_part(ZipPack *pack, const char *name)
{
    end_part(pack);
    pack->block = next_block(pack, name, false);
}

// The next block knows the end of this one, which is copied: the other is at work by then.
static void continue_part(ZipPack *pack)
{
    unsigned char window[WINDOW_BYTES];
    const Block *full = pack->block;
    memcpy(window, full->raw + full->known + full->size - WINDOW_BYTES, WINDOW_BYTES);
    conveyor_send(pack->conveyor);
    pack->block = next_block(pack, NULL, false);
    memcpy(pack->block->raw, window, WINDOW_BYTES);
    pack->block->known = WINDOW_BYTES;
}

void zip_pack_write(ZipPack *pack, Str bytes)
{
    while (bytes.size) {
        if (pack->block->size == BLOCK_BYTES)
            continue_part(pack);
        Block *block = pack->block;
        size_t room = BLOCK_BYTES - block->size, fits = bytes.size < room ? bytes.size : room;
        memcpy(block->raw + block->known + block->size, bytes.data, fits);
        block->size += fits;
        bytes = str_slice(bytes, fits, bytes.size);
    }
}

static void write_list(ZipPack *pack)
{
    uint64_t start = pack->written;
    size_t count = pack->entries.count;
    for (size_t i = 0; i < count; i++) {
        const Entry *entry = &pack->entries.items[i];
        unsigned char record[ENTRY_BYTES] = {0}, *at = put(record, 0x02014b50, 4);
        at = put_common(put(at, 20, 2), entry, true);
        put(at + 10, entry->offset, 4);
        write_bytes(pack, record, sizeof record);
        write_bytes(pack, entry->name, strlen(entry->name));
    }
    unsigned char end[END_BYTES] = {0}, *at = put(end, 0x06054b50, 4);
    at = put(at + 4, count, 2);
    at = put(at, count, 2);
    at = put(at, pack->written - start, 4);
    put(at, start, 4);
    write_bytes(pack, end, sizeof end);
}

bool zip_pack_end(ZipPack *pack, Error *err)
{
    end_part(pack);
    conveyor_end(pack->conveyor);
    bool fits = pack->entries.count <= ZIP_PARTS_MAX;
    for (size_t i = 0; i < pack->entries.count; i++)
        fits = fits && pack->entries.items[i].size <= ZIP_PART_BYTES_MAX;
    write_list(pack);
    return (fits && pack->written <= ZIP_PART_BYTES_MAX) ||
           error_set(err, ERR_OUTPUT, NOWHERE, "%s",
                     tr("the workbook would be larger than 4 GB, which its format cannot say"));
}
