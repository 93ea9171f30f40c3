// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/torch_zip.h"

#include "check.h"
#include "torch_bytes.h"

// The container that torch.save writes, with the 64-bit fields of files that are, or might have
// become, larger than 4 GB.

static Arena *arena;
static Error err;
static ZipMembers members;

static void put64(StrBuf *out, uint64_t value)
{
    put32(out, (uint32_t)value);
    put32(out, (uint32_t)(value >> 32));
}

// What is written otherwise than in a good file.
typedef struct Changes {
    bool wide_end;          // the directory is told by the 64-bit record
    uint64_t end_shift;     // added to the place of that record
    unsigned discs;         // in the record at the end
    unsigned wide_discs;    // in the 64-bit record
    int wide_fields;        // sizes and start in the extra field: the first so many of the three
    bool short_extra;       // which ends 4 bytes early
    bool long_extra;        // or tells a length beyond its end
    int64_t count_shift;    // added to the number of entries
    int64_t start_shift;    // added to the start of the second member
    uint32_t stored_shift;  // added to its size
    const char *second;     // its name
    const char *renamed;    // its name in the directory
    unsigned flags, method;
    Str comment;
} Changes;

static void put_central(StrBuf *out, const TorchMember *member, const Changes *changes, bool second)
{
    uint32_t size = (uint32_t)member->data.size + (second ? changes->stored_shift : 0);
    uint32_t start = (uint32_t)((int64_t)member->start + (second ? changes->start_shift : 0));
    int wide = changes->wide_fields;
    size_t length = 8 * (size_t)wide;
    strbuf_add(out, STR("PK\x01\x02\0\0\0\0"));
    put16(out, second ? changes->flags : 0);
    put16(out, second ? changes->method : 0);
    strbuf_add(out, STR("\0\0\0\0\0\0\0\0"));
    put32(out, wide > 1 ? UINT32_MAX : size);
    put32(out, wide > 0 ? UINT32_MAX : size);
    put16(out, (unsigned)strlen(member->name));
    put16(out, wide ? (unsigned)(4 + 4 + 2 + length - (changes->short_extra ? 4 : 0)) : 0);
    strbuf_add(out, STR("\0\0\0\0\0\0\0\0\0\0"));
    put32(out, wide > 2 ? UINT32_MAX : start);
    strbuf_add(out, str_of(second && changes->renamed ? changes->renamed : member->name));
    if (wide == 0)
        return;
    strbuf_add(out, STR("\x55\x54\x02\0??"));  // another extra field stands before
    put16(out, 1);
    put16(out, (unsigned)(length - (changes->short_extra ? 4 : 0) + (changes->long_extra ? 9 : 0)));
    const uint64_t values[] = {size, size, start};
    StrBuf field;
    field = strbuf_new(arena);
    for (int i = 0; i < wide; i++)
        put64(&field, values[i]);
    strbuf_add(out, str_slice(strbuf_str(&field), 0, length - (changes->short_extra ? 4 : 0)));
}

static Str zip(const Changes *changes)
{
    StrBuf out;
    TorchMember all[] = {
        {"x/data.pkl", STR("pickle"), 0},
        {changes->second ? changes->second : "x/data/0", STR("elements"), 0},
    };
    out = strbuf_new(arena);
    for (int i = 0; i < 2; i++)
        put_member(&out, &all[i]);
    size_t directory = out.size;
    for (int i = 0; i < 2; i++)
        put_central(&out, &all[i], changes, i == 1);
    size_t size = out.size - directory, record = out.size;
    uint64_t count = (uint64_t)(2 + changes->count_shift);
    if (changes->wide_end) {
        strbuf_add(&out, STR("PK\x06\x06"));
        put64(&out, 44);
        put32(&out, 0);
        put32(&out, changes->wide_discs);
        put32(&out, 0);
        put64(&out, count);
        put64(&out, count);
        put64(&out, size);
        put64(&out, directory);
        strbuf_add(&out, STR("PK\x06\x07\0\0\0\0"));
        put64(&out, record + changes->end_shift);
        put32(&out, 1);
    }
    strbuf_add(&out, STR("PK\x05\x06"));
    put16(&out, changes->discs);
    put16(&out, 0);
    put16(&out, changes->wide_end ? 0xffff : (unsigned)count);
    put16(&out, changes->wide_end ? 0xffff : (unsigned)count);
    put32(&out, changes->wide_end ? UINT32_MAX : (uint32_t)size);
    put32(&out, changes->wide_end ? UINT32_MAX : (uint32_t)directory);
    put16(&out, (unsigned)changes->comment.size);
    strbuf_add(&out, changes->comment);
    return strbuf_str(&out);
}

static bool reads(const Changes *changes)
{
    err = (Error){0};
    return torch_zip_read("a.pt", zip(changes), arena, &members, &err);
}

static void members_are_found_with_sizes_of_32_and_64_bits(void)
{
    for (int wide_end = 0; wide_end < 2; wide_end++)
        for (int fields = 0; fields < 4; fields++) {
            Changes changes = {.wide_end = wide_end, .wide_fields = fields};
            CHECK(reads(&changes) && members.count == 2);
            const ZipMember *member = torch_zip_find(&members, STR("x/data/0"));
            CHECK(member != NULL);
            if (member)
                CHECK_TEXT(member->bytes, "elements");
            CHECK(torch_zip_find(&members, STR("x/data/1")) == NULL);
        }
    Changes commented = {.comment = STR("a comment with PK\x05\x06 in it")};
    CHECK(reads(&commented) && members.count == 2);
}

static void a_broken_container_is_refused_with_what_is_wrong(void)
{
    static const struct {
        Changes changes;
        const char *text;
    } cases[] = {
        {{.discs = 1}, "split over several discs"},
        {{.wide_end = true, .wide_discs = 1}, "split over several discs"},
        {{.wide_end = true, .end_shift = 1}, "the 64-bit directory record is missing"},
        {{.wide_end = true, .end_shift = 1u << 30}, "the 64-bit directory record is missing"},
        {{.wide_fields = 3, .short_extra = true}, "a 64-bit size is missing"},
        {{.wide_fields = 3, .long_extra = true}, "a 64-bit size is missing"},
        {{.wide_fields = 3, .count_shift = 1}, "expected an entry of the directory"},
        {{.count_shift = 100}, "more members than the directory"},
        {{.wide_end = true, .count_shift = 1 << 30}, "more members than the directory"},
        {{.start_shift = 1}, "its header is missing"},
        {{.start_shift = 1 << 20}, "its header is missing"},
        {{.stored_shift = 1 << 20}, "it reaches past the end of the data"},
        {{.renamed = "x/data/1"}, "its two headers contradict each other"},
        {{.second = "x/data.pkl"}, "two members have this name"},
        {{.flags = 1}, "it is encrypted"},
        {{.method = 8}, "it is compressed; torch stores its members"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool good = reads(&cases[i].changes);
        bool told = str_find(str_of(err.text), str_of(cases[i].text), 0) != SIZE_MAX;
        if (good || !told)
            fprintf(stderr, "%s: got '%s'\n", cases[i].text, err.text);
        CHECK(!good && told && err.byte >= 0 && err.kind == ERR_INPUT);
    }
}

static void a_container_cut_anywhere_is_refused(void)
{
    Changes changes = {.wide_end = true, .wide_fields = 3};
    Str whole = zip(&changes);
    for (size_t size = 0; size < whole.size; size++)
        CHECK(!torch_zip_read("a.pt", str_slice(whole, 0, size), arena, &members, &err));
    CHECK(torch_zip_read("a.pt", whole, arena, &members, &err));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(members_are_found_with_sizes_of_32_and_64_bits);
    CHECK_RUN(a_broken_container_is_refused_with_what_is_wrong);
    CHECK_RUN(a_container_cut_anywhere_is_refused);
    arena_release(arena);
    return CHECK_RESULT;
}
