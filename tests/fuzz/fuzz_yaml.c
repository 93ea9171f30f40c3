// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/settings/yaml_tree.h"

// Any bytes as YAML: counts agree with the lists, and what a map holds is found by its key.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Iterative: the tree is at most 64 deep.
static void check_tree(const YamlNode *root)
{
    const YamlNode *open[80] = {root};
    size_t depth = root ? 1 : 0;
    while (depth > 0) {
        const YamlNode *node = open[--depth];
        size_t count = 0;
        for (const YamlNode *at = node->first; at; at = at->next)
            count++;
        if (count != node->count)
            abort();
        if (node->next && depth + 1 < sizeof open / sizeof open[0])
            open[depth++] = node->next;
        if (node->first && depth + 1 < sizeof open / sizeof open[0])
            open[depth++] = node->first;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_new();
    Notices notices;
    Error err;
    YamlNode *root;
    notices_init(&notices, arena);
    Str text = fuzz_copy(data, size);
    if (yaml_read_text("file.yaml", text, arena, &root, &notices, &err))
        check_tree(root);
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
