// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/tensor_file.h"

#include "check.h"
#include "read/tensor/safetensors.h"
#include "torch_bytes.h"

static Arena *arena;
static Notices notices;
static Error err;
static Tensor got;

static bool reads(Str bytes)
{
    notices_init(&notices, arena);
    err = (Error){0};
    return tensor_read("file", bytes, &got, &notices, &err);
}

static bool refuses(Str bytes, const char *why)
{
    return !reads(bytes) && strstr(err.text, why);
}

static const float six[] = {1, 2, 3, 4, 5, 6};
static const Str six_bytes = {(const char *)six, sizeof six};

static float value_at(const Tensor *tensor, uint64_t index)
{
    float buffer, value;
    memcpy(&value, tensor_elements(tensor, index, 1, &buffer), sizeof value);
    return value;
}

static Str npy(int version, const char *header, Str data)
{
    StrBuf out;
    out = strbuf_new(arena);
    strbuf_add(&out, STR("\x93NUMPY"));
    strbuf_add_char(&out, (char)version);
    strbuf_add_char(&out, '\0');
    if (version == 1)
        put16(&out, (unsigned)strlen(header));
    else
        put32(&out, (uint32_t)strlen(header));
    strbuf_add(&out, str_of(header));
    strbuf_add(&out, data);
    return strbuf_str(&out);
}

static void npy_headers_of_every_writer_are_read(void)
{
    CHECK(reads(
        npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", six_bytes)));
    CHECK(got.dtype == DTYPE_F32 && got.rank == 2 && got.shape[1] == 3 && got.contiguous);
    CHECK(value_at(&got, 5) == 6 && notices.count == 0);
    CHECK(reads(npy(2, "{\"shape\":(2,3,),\"fortran_order\":False,\"descr\":\"<f4\"}", six_bytes)));
    CHECK(reads(npy(3, "{'descr': '=f4', 'fortran_order': True, 'shape': (6L,), }\n", six_bytes)));
    CHECK(got.contiguous && got.count == 6);
    CHECK(reads(npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", six_bytes)));
    CHECK(got.rank == 0 && got.count == 1 && notices.count == 1);
    CHECK(reads(npy(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (0, 9), }\n", STR(""))));
    CHECK(got.count == 0 && got.dtype == DTYPE_C64);
}

static void fortran_order_and_big_endian_give_the_same_elements(void)
{
    CHECK(reads(npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", six_bytes)));
    const float rows[] = {1, 3, 5, 2, 4, 6};
    for (uint64_t i = 0; i < 6; i++)
        CHECK(value_at(&got, i) == rows[i]);
    CHECK(!got.contiguous);
    CHECK(reads(npy(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n",
                    STR("\x3f\x80\0\0\x40\0\0\0"))));
    CHECK(value_at(&got, 0) == 1 && value_at(&got, 1) == 2);
}

static void every_number_type_of_npy_is_known(void)
{
    static const struct {
        const char *code;
        DType dtype;
    } codes[] = {{"<f2", DTYPE_F16},  {"|i1", DTYPE_I8},    {"<i2", DTYPE_I16},
                 {"<i4", DTYPE_I32},  {"<i8", DTYPE_I64},   {"|u1", DTYPE_U8},
                 {"<u2", DTYPE_U16},  {"<u4", DTYPE_U32},   {"<u8", DTYPE_U64},
                 {"|b1", DTYPE_BOOL}, {"<c16", DTYPE_C128}, {"|V2", DTYPE_BF16}};
    char header[128];
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }",
                 codes[i].code);
        CHECK(reads(npy(1, header, six_bytes)) && got.dtype == codes[i].dtype);
    }
}

static void files_that_are_no_tensor_are_refused_in_words(void)
{
    CHECK(refuses(STR(""), "empty"));
    CHECK(refuses(STR("hello"), "neither"));
    CHECK(refuses(npy(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", six_bytes),
                  "Python objects"));
    CHECK(refuses(npy(1, "{'descr': '<U3', 'fortran_order': False, 'shape': (2, 5), }", six_bytes),
                  "shape [2, 5]"));
    CHECK(refuses(npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", six_bytes),
                  "needs 28 bytes"));
    CHECK(err.byte > 0);
}

static TorchFile plain(void)
{
    return (TorchFile){.storage = "FloatStorage",
                       .elements = 6,
                       .size = {2, 3},
                       .stride = {3, 1},
                       .rank = 2,
                       .data = six_bytes};
}

static void a_tensor_of_torch_is_used_in_place(void)
{
    TorchFile file = plain();
    Str bytes = torch_zip_file(arena, &file);
    CHECK(reads(bytes) && got.contiguous && got.rank == 2 && value_at(&got, 4) == 5);
    CHECK((const char *)got.data > bytes.data && (const char *)got.data < bytes.data + bytes.size);
    CHECK(reads(torch_legacy_file(arena, &file)) && value_at(&got, 4) == 5);
}

static void views_keep_offset_and_strides(void)
{
    TorchFile file = plain();
    file.offset = 1;
    file.size[0] = 2;
    file.size[1] = 2;
    file.stride[0] = 1;
    file.stride[1] = 3;
    CHECK(reads(torch_zip_file(arena, &file)) && !got.contiguous);
    CHECK(value_at(&got, 0) == 2 && value_at(&got, 1) == 5 && value_at(&got, 3) == 6);
    CHECK(reads(torch_legacy_file(arena, &file)) && value_at(&got, 3) == 6);
    file.offset = 2;
    CHECK(reads(torch_zip_file(arena, &file)) == false && strstr(err.text, "reach past"));
    file.stride[0] = file.stride[1] = 0;  // expanded
    CHECK(reads(torch_zip_file(arena, &file)) && value_at(&got, 3) == 3);
}

static void tensors_of_an_npu_and_of_newer_torch_are_read(void)
{
    TorchFile file = plain();
    file.module = "torch_npu.utils.storage";
    file.function = "_rebuild_npu_tensor";
    file.tail = STR("ctorch_npu.npu._format\nFormat\nK\x02\x85R");
    CHECK(reads(torch_zip_file(arena, &file)) && value_at(&got, 5) == 6);
    file = plain();
    file.function = "_rebuild_tensor_v3";
    file.storage_module = "torch.storage";
    file.storage = "UntypedStorage";
    file.tail = STR("ctorch\nfloat8_e4m3fn\n}X\x04\0\0\0conj\x88X\x03\0\0\0neg\x89u");
    CHECK(!reads(torch_zip_file(arena, &file)));  // SETITEMS without a mark
    file.tail = STR("ctorch\nfloat8_e4m3fn\n}(X\x04\0\0\0conj\x88X\x03\0\0\0neg\x89u");
    CHECK(reads(torch_zip_file(arena, &file)) && got.dtype == DTYPE_F8_E4M3FN);
    CHECK(got.conj && !got.neg && got.count == 6);
    file.tail = STR("ctorch\nfloat32\n");
    CHECK(!reads(torch_zip_file(arena, &file)));  // 6 bytes are no 6 floats
    file.elements = 24;
    CHECK(reads(torch_zip_file(arena, &file)) && value_at(&got, 5) == 6);
}

static void parameters_and_subclasses_are_unwrapped(void)
{
    TorchFile file = plain();
    file.before = STR("ctorch._utils\n_rebuild_parameter\n(");
    file.after = STR("\x88"
                     "ccollections\nOrderedDict\n)RtR");
    CHECK(reads(torch_zip_file(arena, &file)) && value_at(&got, 5) == 6);
    file.before = STR("ctorch.nn.parameter\nParameter\n");
    file.after = STR("\x85\x81}b");
    CHECK(reads(torch_zip_file(arena, &file)) && value_at(&got, 5) == 6);
    file.before = STR("]");
    file.after = STR("a");
    CHECK(refuses(torch_zip_file(arena, &file), "found a list"));
}

static void the_byte_order_of_the_archive_is_kept(void)
{
    TorchFile file = plain();
    file.byteorder = "big";
    file.data = STR("\x3f\x80\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    CHECK(reads(torch_zip_file(arena, &file)) && value_at(&got, 1) == 2);
}

static Str safetensors(const char *header, size_t data)
{
    StrBuf out;
    out = strbuf_new(arena);
    put32(&out, (uint32_t)strlen(header));
    put32(&out, 0);
    strbuf_add(&out, str_of(header));
    for (size_t i = 0; i < data; i++)
        strbuf_add_char(&out, ((const char *)six)[i % sizeof six]);
    return strbuf_str(&out);
}

static SafeTensors checkpoint;

static bool reads_safe(const char *header, size_t data)
{
    notices_init(&notices, arena);
    return safetensors_read("file", safetensors(header, data), arena, &checkpoint, &notices, &err);
}

static void a_checkpoint_gives_its_tensors_by_name(void)
{
    CHECK(reads_safe("{\"__metadata__\":{\"format\":\"pt\"},"
                     "\"l.10.w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                     "\"l.2.w\":{\"data_offsets\":[24,26],\"shape\":[1],\"dtype\":\"BF16\"},"
                     "\"odd\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[26,27]}}  ",
                     27));
    CHECK(checkpoint.count == 2 && checkpoint.metadata_count == 1);
    CHECK_TEXT(checkpoint.items[0].name, "l.2.w");
    CHECK(notices.count == 1 && notices.items[0].partial);
    size_t index = safetensors_find(&checkpoint, STR("l.10.w"));
    CHECK(index == 1 && safetensors_find(&checkpoint, STR("none")) == SIZE_MAX);
    Tensor tensor = safetensors_tensor(&checkpoint, index);
    CHECK(tensor.count == 6 && value_at(&tensor, 5) == 6);
    CHECK(reads_safe("{}", 0) && checkpoint.count == 0);
}

static void broken_checkpoints_are_refused(void)
{
    static const struct {
        const char *header;
        size_t data;
        const char *why;
    } cases[] = {
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
         6, "overlap"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[5,9]}}",
         9, "gap"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5, "no tensor"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 3, "past the end"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
         8, "this name"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "do not fit"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}", 4,
         "overflows"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "not negative"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}", 4, "not negative"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "[begin, end]"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "missing"},
        {"{\"a\":{\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype as text"},
        {"{\"a\":[1]}", 4, "expected an object"},
        {"{\"a\":{\"dtype\":\"F32\"", 4, "does not end"},
        {"{} x", 0, "after the object"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":7,\"data_offsets\":[0,4]}}", 4,
         "expected a list of numbers"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 8,
         "the list is too long"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":7}}", 4,
         "expected a list of numbers"},
        {"{\"a\\x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "wrong escape"},
        {"{\"__metadata__\":[]}", 0, "expected an object"},
        {"{\"__metadata__\":{\"a\":7}}", 0, "expected a text in __metadata__"},
        {"[]", 0, "expected an object"},
        {"", 0, "expected an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(!reads_safe(cases[i].header, cases[i].data));
        CHECK(strstr(err.text, cases[i].why));
    }
    CHECK(!safetensors_read("file", STR("\xff\xff\xff\x7f\0\0\0\0{}"), arena, &checkpoint, &notices,
                            &err));
    CHECK(strstr(err.text, "100 MB"));
}

static void candles_samples_hold_dicts_and_are_refused_politely(void)
{
    static const char *const names[] = {"test.pt", "fortran_tensor_3d.pth", "test_with_key.pt"};
    for (size_t i = 0; i < 3; i++) {
        TensorFile file;
        const char *path = str_cstr(
            arena, str_printf(arena, SHARED_DIR "/data/peer-fixtures/torch-zip/%s", names[i]));
        notices_init(&notices, arena);
        if (file_kind(path) != FILE_REGULAR)
            CHECK_SKIP("the sample set");
        CHECK(!tensor_open(path, &file, &notices, &err));
        CHECK(strstr(err.text, "expected one tensor, found a dict"));
    }
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(npy_headers_of_every_writer_are_read);
    CHECK_RUN(fortran_order_and_big_endian_give_the_same_elements);
    CHECK_RUN(every_number_type_of_npy_is_known);
    CHECK_RUN(files_that_are_no_tensor_are_refused_in_words);
    CHECK_RUN(a_tensor_of_torch_is_used_in_place);
    CHECK_RUN(views_keep_offset_and_strides);
    CHECK_RUN(tensors_of_an_npu_and_of_newer_torch_are_read);
    CHECK_RUN(parameters_and_subclasses_are_unwrapped);
    CHECK_RUN(the_byte_order_of_the_archive_is_kept);
    CHECK_RUN(a_checkpoint_gives_its_tensors_by_name);
    CHECK_RUN(broken_checkpoints_are_refused);
    CHECK_RUN_SHARED(candles_samples_hold_dicts_and_are_refused_politely);
    arena_release(arena);
    return CHECK_RESULT;
}
