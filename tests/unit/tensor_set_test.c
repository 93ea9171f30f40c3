// SPDX-License-Identifier: Apache-2.0
#include "read/dump/tensor_set.h"

#include <math.h>

#include "base/file.h"
#include "base/sink.h"
#include "check.h"
#include "read/dump/dump_source.h"
#include "read/tensor/tensor_statistics.h"
#include "temporary.h"

static Arena *arena;
static Names *names;
static Notices notices;
static Error err;
static Dump got;

static bool reads(const char *path)
{
    notices_init(&notices, arena);
    names = names_new(arena);
    return dump_read(path, names, arena, &got, &notices, &err);
}

static Str name(NameId id)
{
    return names_text(names, id);
}

static void write_npy(const char *path, const float values[2])
{
    char bytes[128] =
        "\x93NUMPY\x01\0\x36\0{'descr': '<f4', 'fortran_order':False,'shape':(2,) }\n";
    memcpy(bytes + 64, values, 8);
    temporary_file(path, bytes, 72);
}

static void a_checkpoint_is_a_dump_of_its_weights(void)
{
    static const char header[] =
        "{\"m.fc.weight\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
        "\"m.fc.bias\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[8,12]}}";
    char bytes[256] = {(char)(sizeof header - 1)};
    const float weight[] = {3, -4};
    const int32_t bias = 7;
    memcpy(bytes + 8, header, sizeof header - 1);
    memcpy(bytes + 8 + sizeof header - 1, weight, 8);
    memcpy(bytes + 16 + sizeof header - 1, &bias, 4);
    CHECK(reads(temporary_file("set.safetensors", bytes, 20 + sizeof header - 1)));
    CHECK(got.op_count == 1 && got.slot_count == 2 && got.has_data_name);
    CHECK_TEXT(name(got.ops[0].name), "m.fc");
    CHECK_TEXT(name(got.slots[1].path), "parameters.weight");
    CHECK(got.slots[1].stat[STAT_NORM].real == 5 && got.slots[1].stat[STAT_MEAN].real == -0.5);
    CHECK(got.slots[0].tag[STAT_MAX] == TAG_INT && got.slots[0].stat[STAT_MAX].integer == 7);
    TensorFile file;
    TensorSet *set = tensor_set_open("set.safetensors", arena, &notices, &err);
    CHECK(set && tensor_set_tensor(set, name(got.slots[1].data_name), &file, &notices, &err));
    CHECK(file.tensor.count == 2);
    CHECK(!tensor_set_tensor(set, STR("x.safetensors"), &file, &notices, &err));
    CHECK(!tensor_set_tensor(set, STR("short"), &file, &notices, &err));
    tensor_set_close(set);
}

static void a_folder_of_files_is_a_dump_of_them(void)
{
    const float one[] = {1, 2}, two[] = {NAN, 1};
    CHECK(folder_make("set_folder/step10", &err) && folder_make("set_folder/step2", &err));
    write_npy("set_folder/step10/tokens.npy", one);
    write_npy("set_folder/step2/tokens.npy", two);
    write_npy("set_folder/Torch.add.0.forward.input.1.npy", one);
    temporary_file("set_folder/broken.npy", "hello", 5);
    temporary_file("set_folder/readme.txt", "hello", 5);
    CHECK(reads("set_folder") && got.op_count == 3 && notices.count == 1);
    CHECK_TEXT(name(got.ops[0].name), "Torch.add.0.forward");
    CHECK_TEXT(name(got.slots[0].path), "input.1");
    CHECK_TEXT(name(got.ops[1].name), "step2/tokens");
    CHECK_TEXT(name(got.slots[1].path), "value");
    CHECK(isnan(got.slots[1].stat[STAT_MAX].real) && got.slots[2].stat[STAT_MAX].real == 2);
    TensorFile file;
    TensorSet *set = tensor_set_open("set_folder", arena, &notices, &err);
    CHECK(!tensor_set_tensor(set, STR("../secret.npy"), &file, &notices, &err));
    CHECK(tensor_set_tensor(set, STR("step2/tokens.npy"), &file, &notices, &err));
    tensor_close(&file);
    tensor_set_close(set);
}

static void other_files_and_folders_are_no_sets(void)
{
    CHECK(folder_make("set_empty/below", &err));
    CHECK(!tensor_set_is("set_empty") && !tensor_set_is("absent"));
    CHECK(!tensor_set_is(temporary_file("set.json", "{\"data\": {}}", 12)));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_checkpoint_is_a_dump_of_its_weights);
    CHECK_RUN(a_folder_of_files_is_a_dump_of_them);
    CHECK_RUN(other_files_and_folders_are_no_sets);
    arena_release(arena);
    return CHECK_RESULT;
}
