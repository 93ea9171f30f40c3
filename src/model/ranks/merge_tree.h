// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_MODEL_RANKS_MERGE_TREE_H
#define VERNIER_MODEL_RANKS_MERGE_TREE_H

#include "base/array.h"
#include "model/ranks/merge_ranks.h"

// The trees of several ranks while they become one. Not for use outside model/merge*.c.

#define MERGE_NONE UINT32_MAX

typedef struct MergeNotes {
    Str *items;
    size_t count, capacity;
} MergeNotes;

// Where a slot stands among those of its node.
typedef struct MergePlace {
    uint64_t key;  // of path and group
    uint32_t slot;
} MergePlace;

typedef struct MergeNode {
    NameId name;
    uint32_t parent, first_child, last_child, next, previous;
    const Graph *graph;  // where it comes from; NULL: made by merging
    NodeId source;
    int64_t rank;
    int64_t mark;  // the rank that its id is distinguished by: that of the first share in its stage
    Slot *slots;   // its own copies
    uint32_t slot_count;
    const MergePlace *places;  // of its slots, in their order; NULL: there are few
    uint32_t micro_step;
    uint8_t type, direction;
    bool merged;       // it has values of several ranks
    bool mixed_slots;  // some slots are those of another rank
    MergeNotes notes;  // what was done to it
} MergeNode;

typedef struct MergeTree {
    MergeNode *items;
    size_t count, capacity;
    Names *names;
    GraphRules rules;
    Arena *arena;    // of the merged graph
    Arena *scratch;  // released when the merge is done
    Where where;     // the first rank's dump, for notices
    Notices *notices;
    bool experts_unsure;  // experts may be those of another number
} MergeTree;

// The indices of some nodes, in pre-order.
typedef struct MergeList {
    uint32_t *items;
    size_t count, capacity;
} MergeList;

// Adds the nodes of a rank that its root reaches; the value is that of its root.
uint32_t merge_tree_load(MergeTree *tree, const Graph *graph, int64_t rank, int64_t mark);

// A node without data, not linked yet.
uint32_t merge_tree_add(MergeTree *tree, Str name, NodeType type, int64_t rank);

Str merge_name(const MergeTree *tree, uint32_t node);

// Takes the node, with all below it, out of the children of its parent; the parent may be none.
void merge_unlink(MergeTree *tree, uint32_t node);

// Puts `node` below `parent`, after its child `after`; MERGE_NONE: in front.
void merge_link(MergeTree *tree, uint32_t parent, uint32_t node, uint32_t after);

// All nodes below `root`, itself first.
MergeList merge_list(MergeTree *tree, uint32_t root);

// By NameId: the node of that name below `root`, MERGE_NONE elsewhere. names_count + 1 items.
typedef struct MergeIndex {
    uint32_t *items;
    size_t count;
} MergeIndex;
MergeIndex merge_index(MergeTree *tree, uint32_t root);
uint32_t merge_find(const MergeIndex *index, NameId name);
void merge_index_add(MergeTree *tree, MergeIndex *index, uint32_t node);

// "Torch.cat.0.forward" becomes "Torch.cat_rank1.0.forward"; a name that has a mark keeps it.
void merge_mark_rank(MergeTree *tree, uint32_t node, int64_t rank);
// Or gets a second one: "Torch.cat_rank1_rank3.0.forward".
void merge_mark_further(MergeTree *tree, uint32_t node, int64_t rank);

// Second part of an id: "cat".
Str merge_api(Str name);
bool merge_is_communication(Str name);

// What the report tells of how the node came to be; the text is borrowed.
void merge_note(MergeTree *tree, uint32_t node, Str text);

// To be said whenever slots of the node came, went or got another path.
void merge_index_slots(MergeTree *tree, MergeNode *node);

// The slot of `node` at the same place as slot number `index` of `like`; NULL if it has none.
Slot *merge_slot_like(const MergeNode *node, const MergeNode *like, uint32_t index);

// ---- items

// A tensor of a dtype whose statistics are merged; others are those of the base.
bool merge_takes_part(const MergeTree *tree, const Slot *slot);

// Statistics equal up to 1e-6; what is no number counts as equal.
bool merge_slots_equal(const Slot *a, const Slot *b);

// All statistics exactly as they are.
bool merge_slots_identical(const Slot *a, const Slot *b);

// Whether the inputs, or the outputs, of two nodes have other values.
bool merge_side_differs(const MergeNode *a, const MergeNode *b, bool outputs);

// Puts the statistics of `count` other ranks into a slot, and says so on its node. `weights`: the
// numbers of elements, its own first, or NULL: all equal.
void merge_slot_values(MergeTree *tree, uint32_t node, uint32_t slot, const Slot *const *others,
                       const int64_t *ranks, const double *weights, size_t count);

// Tells of a tensor that cannot be merged what all ranks tell of it: the largest Max, the smallest
// Min, the means of Mean and of the squares of Norm. A NaN or infinity of one rank stands.
void merge_slot_overview(Slot *own, const Slot *const *others, size_t count);

// ---- the ways to merge

// Shares of tensors: merges what the other trees have into that of roots[0].
void merge_tensor_shares(MergeTree *tree, const uint32_t *roots, size_t count);

// Stages of layers, first to last; all move into the tree of roots[0]. `layers_only`: of the others
// nothing else is kept.
void merge_stages(MergeTree *tree, const uint32_t *roots, size_t count, bool layers_only);

// Ranks with tokens of their own, `batches` of them: what the other trees have goes into that of
// roots[0], experts by their number in the whole model.
void merge_batches(MergeTree *tree, const uint32_t *roots, const MergeRanks *ranks);

// Gives the experts of later parts the numbers after those of the parts before, wherever parts
// count theirs from 0; likewise the weights of grouped experts, "weight0". By tree the part of the
// experts that it holds, one of `ep`, is parts[i]. How many there are a router tells; where none is
// seen and parts hold other numbers of them, the tree is marked as unsure of them, and it is said.
void merge_number_experts(MergeTree *tree, const uint32_t *roots, const size_t *parts, size_t count,
                          size_t ep);

// What msProbe loses of a pipeline of three stages and more (docs/spec/graph.md §2.14), taken out
// of the later trees before they are merged: what stands below one parent on several of them and
// not on the first, and what the first and some of them have.
void merge_drop_like_msprobe(MergeTree *tree, const uint32_t *roots, size_t count);

// Writes the tree below `root` as a graph.
void merge_tree_graph(MergeTree *tree, uint32_t root, const MergeRanks *ranks, Graph *out);

#endif
