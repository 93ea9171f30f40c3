// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Writes golden/dump.json and target/dump.json below a folder: statistics of a stack of transformer
// layers, flat (level L1), in the shape in which the dump tool writes them. Arguments: FOLDER OPS
// [small]: with `small` each op has one input and one output and lies on one line (about 500 bytes
// an op), else with arguments and indented (about 2,200 bytes). The target carries noise of 1e-7
// and one defect in the middle.

typedef struct Writer {
    FILE *file;
    bool small;
    uint64_t state;  // of the numbers; equal on both sides
    double noise;    // relative
} Writer;

static const struct {
    const char *name;
    int inputs;  // tensors
    bool scalar;
} apis[] = {{"Functional.layer_norm", 3, true}, {"Functional.linear", 3, false},
            {"Torch.matmul", 2, false},         {"Tensor.__mul__", 1, true},
            {"Functional.softmax", 1, true},    {"Functional.dropout", 1, true},
            {"Torch.matmul", 2, false},         {"Functional.linear", 3, false},
            {"Tensor.__add__", 2, false},       {"Functional.gelu", 1, false}};
enum { APIS = sizeof apis / sizeof *apis };

static double draw(Writer *out)
{
    out->state = out->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(out->state >> 11) / 9007199254740992.0;
}

static void write_tensor(Writer *out, double error)
{
    const char *gap = out->small ? "" : "\n     ", *end = out->small ? "" : "\n    ";
    double scale = 1 + draw(out), factor = 1 + error + out->noise * (draw(out) - 0.5);
    double mean = 0.01 * draw(out), top = 3 + draw(out), low = -3 - draw(out);
    fprintf(out->file,
            "{%s\"type\": \"torch.Tensor\",%s\"dtype\": \"torch.float32\",%s\"shape\": "
            "[%s%s8,%s%s1024,%s%s"
            "768%s],%s\"Max\": %.17g,%s\"Min\": %.17g,%s\"Mean\": %.17g,%s\"Norm\": %.17g,%s"
            "\"requires_grad\": true%s}",
            gap, gap, gap, gap, out->small ? "" : " ", gap, out->small ? "" : " ", gap,
            out->small ? "" : " ", gap, gap, top * factor, gap, low * factor, gap, mean * factor,
            gap, 1000 * scale * factor, gap, end);
}

static void write_op(Writer *out, uint64_t index, bool defect)
{
    const char *gap = out->small ? "" : "\n   ", *inner = out->small ? "" : "\n    ";
    uint64_t api = index % APIS, call = index / APIS;
    // Two entries of the table share a name: their calls are counted together.
    bool shared = api == 1 || api == 7 || api == 2 || api == 6;
    if (shared)
        call = 2 * call + (api > 5);
    fprintf(out->file, "%s\"%s.%llu.forward\": {%s\"input_args\": [%s", out->small ? "\n" : "\n  ",
            apis[api].name, (unsigned long long)call, gap, inner);
    int inputs = out->small ? 1 : apis[api].inputs;
    for (int i = 0; i < inputs; i++) {
        if (i)
            fprintf(out->file, ",%s", inner);
        write_tensor(out, 0);
    }
    if (apis[api].scalar && !out->small)
        fprintf(out->file, ",%s{%s \"type\": \"float\",%s \"value\": 0.125%s}", inner, inner, inner,
                inner);
    fprintf(out->file, "%s],%s\"input_kwargs\": {},%s\"output\": [%s", gap, gap, gap, inner);
    write_tensor(out, defect ? 0.03 : 0);
    fprintf(out->file, "%s]%s}", gap, out->small ? "" : "\n  ");
}

static bool write_side(const char *folder, const char *side, uint64_t ops, bool small)
{
    char path[4096];
    bool target = strcmp(side, "target") == 0;
    snprintf(path, sizeof path, "%s/%s", folder, side);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/dump.json", folder, side);
    Writer out = {fopen(path, "w"), small, 1, target ? 1e-7 : 0};
    if (!out.file) {
        perror(path);
        return false;
    }
    fputs("{\n \"task\": \"statistics\",\n \"level\": \"L1\",\n \"framework\": \"pytorch\",\n "
          "\"dump_data_dir\": null,\n \"data\": {",
          out.file);
    for (uint64_t i = 0; i < ops; i++) {
        if (i)
            fputc(',', out.file);
        write_op(&out, i, target && i == ops / 2);
    }
    fputs("\n }\n}\n", out.file);
    return fclose(out.file) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDER OPS [small]\n", argv[0]);
        return 2;
    }
    uint64_t ops = strtoull(argv[2], NULL, 10);
    mkdir(argv[1], 0777);
    bool good = write_side(argv[1], "golden", ops, argc > 3);
    return good && write_side(argv[1], "target", ops, argc > 3) ? 0 : 1;
}
