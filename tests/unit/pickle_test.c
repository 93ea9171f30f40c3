// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/pickle.h"

#include "check.h"

// Pickles written out opcode by opcode, as Python's pickletools lists them.

static Arena *arena;
static Error err;

static const PickleSymbol symbols[] = {
    {.module = "shapes", .name = "Box", .use = PICKLE_CALLABLE | PICKLE_CREATABLE},
    {.module = "shapes", .name = "Fact", .use = 0},
};
static const PickleBounds bounds = {.bytes = 65536, .opcodes = 1000, .stack = 50, .memo = 300};

static PickleValue *read_bytes(Str bytes)
{
    PickleReader reader = {.path = "a.pkl",
                           .bytes = bytes,
                           .symbols = symbols,
                           .symbol_count = 2,
                           .bounds = &bounds,
                           .arena = arena,
                           .err = &err};
    size_t at = 0;
    PickleValue *out = NULL;
    err = (Error){0};
    if (!pickle_read(&reader, &at, &out))
        return NULL;
    CHECK(at == bytes.size);
    return out;
}

#define READ(text) read_bytes((Str){text, sizeof(text) - 1})

static bool is_int(const PickleValue *value, int64_t number)
{
    return value && value->kind == PICKLE_INT && value->integer == number;
}

static bool is_text(const PickleValue *value, const char *text)
{
    return value && value->kind == PICKLE_TEXT && str_equal(value->text, str_of(text));
}

static void numbers_of_every_opcode_are_read(void)
{
    CHECK(is_int(READ("\x80\x02K\xff."), 255));
    CHECK(is_int(READ("\x80\x02M\xff\xff."), 65535));
    CHECK(is_int(READ("\x80\x02J\xfe\xff\xff\xff."), -2));
    CHECK(is_int(READ("\x80\x02\x8a\x00."), 0));
    CHECK(is_int(READ("\x80\x02\x8a\x01\xff."), -1));
    CHECK(is_int(READ("\x80\x02\x8a\x02\xff\x00."), 255));
    CHECK(is_int(READ("\x80\x02\x8a\x08\0\0\0\0\0\0\0\x80."), INT64_MIN));
    PickleValue *real = READ("\x80\x02G\x3f\xf8\0\0\0\0\0\0.");
    CHECK(real && real->kind == PICKLE_REAL && real->real == 1.5);
    PickleValue *yes = READ("\x80\x04\x88."), *none = READ("\x80\x03N.");
    CHECK(yes && yes->kind == PICKLE_BOOL && yes->integer == 1);
    CHECK(none && none->kind == PICKLE_NONE);
}

static void texts_of_every_opcode_are_read(void)
{
    CHECK(is_text(READ("\x80\x02X\x03\0\0\0abc."), "abc"));
    CHECK(is_text(READ("\x80\x04\x8c\x03"
                       "abc."),
                  "abc"));
    CHECK(is_text(READ("\x80\x04\x8d\x03\0\0\0\0\0\0\0abc."), "abc"));
    CHECK(is_text(READ("\x80\x02U\x03"
                       "abc."),
                  "abc"));
    CHECK(is_text(READ("\x80\x02T\x03\0\0\0abc."), "abc"));
}

// protocol 4 as torch.save(pickle_protocol=4) writes it: a frame, memoized names, a tuple of three.
static void protocol_4_is_read_with_its_frame_and_memo(void)
{
    PickleValue *value = READ("\x80\x04\x95\x30\0\0\0\0\0\0\0"
                              "\x8c\x06shapes\x94\x8c\x03"
                              "Box\x94\x93\x94K\x01K\x02h\x00\x87\x94R\x94.");
    CHECK(value && value->kind == PICKLE_CALL && value->symbol == 0 && value->count == 3);
    CHECK(value && is_int(value->items[1], 2) && is_text(value->items[2], "shapes"));
    value = READ("\x80\x04\x8c\x01"
                 "a\x94\x8c\x01"
                 "b\x94]\x94(h\x00h\x01j\x00\0\0\0e.");
    CHECK(value && value->kind == PICKLE_LIST && value->count == 3);
    CHECK(value && is_text(value->items[1], "b") && value->items[2] == value->items[0]);
}

static void containers_are_filled_one_by_one_and_in_batches(void)
{
    PickleValue *value = READ("\x80\x02]q\x00(K\x01K\x02"
                              "eK\x03"
                              "a.");
    CHECK(value && value->kind == PICKLE_LIST && value->count == 3 && is_int(value->items[2], 3));
    value = READ("\x80\x02}q\x00(U\x01"
                 "aK\x01U\x01"
                 "bK\x02uU\x01"
                 "cK\x03s.");
    CHECK(value && value->kind == PICKLE_DICT && value->count == 6);
    CHECK(value && is_text(value->items[4], "c") && is_int(value->items[5], 3));
    value = READ("\x80\x02)K\x01\x85K\x02\x86.");
    CHECK(value && value->kind == PICKLE_TUPLE && value->count == 2);
    CHECK(value && value->items[0]->kind == PICKLE_TUPLE && value->items[0]->count == 1);
    value = READ("\x80\x02(K\x01K\x02K\x03t.");
    CHECK(value && value->kind == PICKLE_TUPLE && value->count == 3);
}

static const struct {
    Str bytes;
    const char *text;
    int64_t byte;
} refused[] = {
    {{"\x80\x05.", 3}, "expected protocol 2, 3 or 4", 0},
    {{"\x80", 1}, "the pickle ends inside it", 0},
    {{"\x80\x04\x95\x01\0", 5}, "the pickle ends inside it", 2},
    {{"\x80\x02\x8a\x09", 4}, "the pickle ends inside it", 2},
    {{"\x80\x02\x8a\x09\1\1\1\1\1\1\1\1\1", 13}, "an integer of more than 8 bytes", 2},
    {{"\x80\x02X\xff\0\0\0a", 8}, "the pickle ends inside it", 2},
    {{"\x80\x02G\0", 4}, "the pickle ends inside it", 2},
    {{"\x80\x02q\x00.", 5}, "the stack is empty", 2},
    {{"\x80\x02(q\x00.", 6}, "the stack is empty", 3},
    {{"\x80\x02h\x00.", 5}, "nothing is kept under this memo index", 2},
    {{"\x80\x02Nr\xff\xff\xff\x0f.", 9}, "the memo index is too large", 3},
    {{"\x80\x02(K\x01\x86.", 7}, "the stack is empty", 5},
    {{"\x80\x02K\x01t.", 6}, "there is no mark on the stack", 4},
    {{"\x80\x02}K\x01u.", 7}, "there is no mark on the stack", 5},
    {{"\x80\x02}(K\x01u.", 8}, "a key without a value", 6},
    {{"\x80\x02K\x01K\x02"
      "a.",
      8},
     "it fills something that is no list or dict",
     6},
    {{"\x80\x02K\x01"
      "a.",
      6},
     "the stack is empty",
     4},
    {{"\x80\x02](a.", 6}, "the stack is empty", 4},
    {{"\x80\x02K\x01Q.", 6}, "expected a tuple that names a storage", 4},
    {{"\x80\x02Q.", 4}, "the stack is empty", 2},
    {{"\x80\x02K\x01K\x02\x93.", 8}, "expected two texts on the stack", 6},
    {{"\x80\x02U\x01"
      "a\x93.",
      7},
     "the stack is empty",
     5},
    {{"\x80\x02K\x01)R.", 7}, "expected a name from the list and a tuple of arguments", 5},
    {{"\x80\x02"
      "cshapes\nFact\n)R.",
      18},
     "'shapes Fact' may not be called",
     16},
    {{"\x80\x02"
      "cposix\nsystem\n.",
      17},
     "'posix system' is not on the list of names",
     2},
    {{"\x80\x02"
      "cposix",
      8},
     "the pickle ends inside it",
     2},
    {{"\x80\x02Nb.", 5}, "expected an object below the state", 3},
    {{"\x80\x02"
      "0.",
      4},
     "a tensor file needs no such opcode",
     2},
    {{"\x80\x02\xfe.", 4}, "expected a pickle opcode, found byte 0xfe", 2},
};

static void what_no_tensor_file_holds_is_refused_with_its_opcode_and_byte(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK(!read_bytes(refused[i].bytes));
        bool told = str_find(str_of(err.text), str_of(refused[i].text), 0) != SIZE_MAX;
        if (!told || err.byte != refused[i].byte)
            fprintf(stderr, "%zu: want '%s' at %lld, got '%s' at %lld\n", i, refused[i].text,
                    (long long)refused[i].byte, err.text, (long long)err.byte);
        CHECK(told && err.byte == refused[i].byte && err.kind == ERR_INPUT);
    }
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(numbers_of_every_opcode_are_read);
    CHECK_RUN(texts_of_every_opcode_are_read);
    CHECK_RUN(protocol_4_is_read_with_its_frame_and_memo);
    CHECK_RUN(containers_are_filled_one_by_one_and_in_batches);
    CHECK_RUN(what_no_tensor_file_holds_is_refused_with_its_opcode_and_byte);
    arena_release(arena);
    return CHECK_RESULT;
}
