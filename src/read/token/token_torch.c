// SPDX-License-Identifier: Apache-2.0
// Tokens of a file of torch.save: dicts and lists of numbers and tensors, as slime's
// --save-debug-rollout-data and --save-debug-train-data leave them.
#include "read/token/token_torch.h"

#include "base/number.h"
#include "base/words.h"
#include "read/tensor/tensor_values.h"
#include "read/tensor/torch_content.h"
#include "read/tensor/torch_tensor.h"
#include "read/token/token_tree.h"

enum { DEPTH_MAX = 16, NODES_MAX = 100 * 1000 * 1000 };

typedef struct Copier {
    const char *path;
    const TorchStores *stores;
    Arena *arena;
    size_t left;  // nodes that may still be made: lists may be shared without end
    Error ignored;
} Copier;

static JsonNode *new_node(Copier *copier, JsonKind kind)
{
    JsonNode *node = ARENA_NEW(copier->arena, JsonNode);
    copier->left -= copier->left > 0;
    node->kind = kind;
    return node;
}

static JsonNode *number_node(Copier *copier, double value)
{
    char text[NUMBER_BYTES];
    JsonNode *node = new_node(copier, JSON_REAL);
    int size = number_python(value, text);
    node->text = str_copy(copier->arena, (Str){text, (size_t)size});
    return node;
}

// Rows of the last axis; one axis is a list of numbers, none a number.
static JsonNode *tensor_node(Copier *copier, const PickleValue *value)
{
    Tensor tensor;
    if (!torch_tensor(copier->path, value, copier->stores, &tensor, &copier->ignored) ||
        dtype_class(tensor.dtype) == CLASS_COMPLEX || tensor.rank > 2 ||
        tensor.count >= copier->left)
        return new_node(copier, JSON_NULL);
    uint64_t width = tensor.rank == 2 ? tensor.shape[1] : tensor.count;
    JsonNode *list = new_node(copier, JSON_LIST), **end = &list->child, *row = list;
    for (uint64_t first = 0; first < tensor.count; first += BLOCK_ELEMENTS) {
        double values[BLOCK_ELEMENTS], raw[BLOCK_ELEMENTS];
        uint64_t left = tensor.count - first;
        size_t count = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
        const double *block =
            doubles_of(tensor_elements(&tensor, first, count, raw), tensor.dtype, count, values);
        for (size_t i = 0; i < count; i++) {
            if (tensor.rank == 2 && (first + i) % width == 0) {
                JsonNode *next = new_node(copier, JSON_LIST);
                *(row == list ? &list->child : &row->next) = next;
                row = next;
                end = &row->child;
            }
            *end = number_node(copier, block[i]);
            end = &(*end)->next;
        }
    }
    return tensor.rank == 0 && list->child ? list->child : list;
}

static JsonNode *node_of(Copier *copier, const PickleValue *value, int depth);

static void copy_items(Copier *copier, const PickleValue *value, JsonNode *out, int depth)
{
    bool dict = value->kind == PICKLE_DICT;
    JsonNode **end = &out->child;
    for (size_t i = 0; i + dict < value->count && copier->left; i += 1 + dict) {
        const PickleValue *key = value->items[i];
        if (dict && key->kind != PICKLE_TEXT)
            continue;
        *end = node_of(copier, value->items[i + dict], depth + 1);
        (*end)->key = dict ? key->text : (Str){0};
        end = &(*end)->next;
    }
}

static JsonNode *node_of(Copier *copier, const PickleValue *value, int depth)
{
    JsonNode *node;
    if (depth > DEPTH_MAX || !copier->left)
        return new_node(copier, JSON_NULL);
    if (torch_is_tensor(value))
        return tensor_node(copier, value);
    switch (value->kind) {
    case PICKLE_BOOL:
    case PICKLE_INT:
        return number_node(copier, (double)value->integer);
    case PICKLE_REAL:
        return number_node(copier, value->real);
    case PICKLE_TEXT:
        node = new_node(copier, JSON_STRING);
        node->text = value->text;
        return node;
    case PICKLE_TUPLE:
    case PICKLE_LIST:
    case PICKLE_DICT:
        node = new_node(copier, value->kind == PICKLE_DICT ? JSON_OBJECT : JSON_LIST);
        copy_items(copier, value, node, depth);
        return node;
    default:
        return new_node(copier, JSON_NULL);
    }
}

bool token_read_torch(const char *path, Str bytes, const TokenAsk *ask, Arena *arena, TokenSet *out,
                      Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    TorchContent content;
    bool good =
        torch_content_read(path, bytes, &pickle_of_checkpoint, scratch, &content, notices, err);
    if (good) {
        Copier copier = {
            .path = path, .stores = &content.stores, .arena = scratch, .left = NODES_MAX};
        JsonNode *root = node_of(&copier, content.value, 0);
        token_read_node(path, 0, root, ask, arena, out, notices);
        if (!copier.left)
            notices_partial(notices, WHERE_FILE(path), "%s",
                            tr("the file holds more numbers than are read"));
        good = out->count > 0 || error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                                           tr("no sample with log-probabilities could be read"));
    }
    arena_release(scratch);
    return good;
}
