// SPDX-License-Identifier: Apache-2.0
#include "read/settings/fragments.h"

#include "base/array.h"
#include "base/sort.h"

#define NO_FRAGMENT UINT32_MAX

enum { ROOT = 0 };  // no node has it as its child or next, so that there 0 says "none"

// A beginning of a fragment, below the one that is a byte shorter.
typedef struct Node {
    uint32_t child, next;  // the first that is longer, the next of its siblings
    uint32_t shorter;      // its longest end that begins a fragment too
    uint32_t ending;       // the longest of its ends that is a fragment, or ROOT
    uint32_t fragment;
    unsigned char byte;
} Node;

struct Fragments {
    struct {
        Node *items;
        size_t count, capacity;
    } nodes;
    uint32_t count;
    Arena *arena;
};

static uint32_t new_node(Fragments *fragments, unsigned char byte)
{
    uint32_t node = (uint32_t)fragments->nodes.count;
    *ARRAY_PUSH(fragments->arena, &fragments->nodes) =
        (Node){.fragment = NO_FRAGMENT, .byte = byte};
    return node;
}

Fragments *fragments_new(Arena *arena)
{
    Fragments *fragments = ARENA_NEW(arena, Fragments);
    fragments->arena = arena;
    new_node(fragments, 0);
    return fragments;
}

// ROOT: there is none.
static uint32_t child_of(const Node *nodes, uint32_t node, unsigned char byte)
{
    uint32_t child = nodes[node].child;
    while (child != ROOT && nodes[child].byte != byte)
        child = nodes[child].next;
    return child;
}

uint32_t fragments_add(Fragments *fragments, Str text)
{
    uint32_t node = ROOT;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        uint32_t child = child_of(fragments->nodes.items, node, byte);
        if (child == ROOT) {
            child = new_node(fragments, byte);
            fragments->nodes.items[child].next = fragments->nodes.items[node].child;
            fragments->nodes.items[node].child = child;
        }
        node = child;
    }
    uint32_t *number = &fragments->nodes.items[node].fragment;
    if (*number == NO_FRAGMENT)
        *number = fragments->count++;
    return *number;
}

// Where the search stands one byte on.
static uint32_t step(const Node *nodes, uint32_t node, unsigned char byte)
{
    uint32_t child;
    while ((child = child_of(nodes, node, byte)) == ROOT && node != ROOT)
        node = nodes[node].shorter;
    return child;
}

// Shorter ones first, as what is longer rests on them.
void fragments_link(Fragments *fragments)
{
    Node *nodes = fragments->nodes.items;
    uint32_t *queue = ARENA_ARRAY(fragments->arena, uint32_t, fragments->nodes.count);
    size_t filled = 1;
    queue[0] = ROOT;
    for (size_t next = 0; next < filled; next++) {
        uint32_t node = queue[next];
        for (uint32_t child = nodes[node].child; child != ROOT; child = nodes[child].next) {
            uint32_t shorter =
                node == ROOT ? ROOT : step(nodes, nodes[node].shorter, nodes[child].byte);
            nodes[child].shorter = shorter;
            nodes[child].ending =
                nodes[shorter].fragment != NO_FRAGMENT ? shorter : nodes[shorter].ending;
            queue[filled++] = child;
        }
    }
}

void fragments_in(const Fragments *fragments, Str text, Arena *arena, FragmentHits *out)
{
    const Node *nodes = fragments->nodes.items;
    uint32_t node = ROOT;
    out->count = 0;
    for (size_t i = 0; fragments->count && i < text.size; i++) {
        node = step(nodes, node, (unsigned char)text.data[i]);
        uint32_t end = nodes[node].fragment != NO_FRAGMENT ? node : nodes[node].ending;
        for (; end != ROOT; end = nodes[end].ending)
            *ARRAY_PUSH(arena, out) = nodes[end].fragment;
    }
    out->count = sort_distinct(out->items, out->count);
}
