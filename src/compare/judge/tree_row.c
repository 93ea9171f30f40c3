// SPDX-License-Identifier: Apache-2.0
#include "compare/judge/tree_row.h"

static const Names *names_of_row(const Comparison *comparison, const TreeNode *row, NameId *id)
{
    const Graph *graph = row->target != NODE_NONE ? comparison->target : comparison->golden;
    NodeId node = row->target != NODE_NONE ? row->target : row->golden;
    *id = node == NODE_NONE ? NAME_NONE : graph->nodes[node].name;
    return graph->dump->names;
}

Str tree_row_name(const Comparison *comparison, const TreeNode *row)
{
    NameId id;
    const Names *names = names_of_row(comparison, row, &id);
    return names_text(names, id);
}

OpName tree_row_op_name(const Comparison *comparison, const TreeNode *row)
{
    NameId id;
    const Names *names = names_of_row(comparison, row, &id);
    return op_name_of(names, id);
}
