// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_DUMP_SAME_H
#define VERNIER_TESTS_DUMP_SAME_H

#include <stdio.h>
#include <string.h>

#include "base/notice.h"
#include "read/dump/dump.h"

// Whether two readings of one file gave the same records and the same notices, whatever the ids of
// their names. The first difference is printed.

static inline bool same_name(const Dump *a, NameId x, const Dump *b, NameId y)
{
    return (x == NAME_NONE) == (y == NAME_NONE) &&
           str_equal(names_text(a->names, x), names_text(b->names, y));
}

static inline bool same_stats(const Dump *a, const Slot *x, const Dump *b, const Slot *y)
{
    for (int i = 0; i < STAT_COUNT; i++) {
        if (x->tag[i] != y->tag[i])
            return false;
        bool text = x->tag[i] == TAG_TEXT || x->tag[i] == TAG_BIGINT;
        if (text ? !same_name(a, x->stat[i].text, b, y->stat[i].text)
                 : memcmp(&x->stat[i], &y->stat[i], sizeof x->stat[i]) != 0)
            return false;
    }
    return true;
}

static inline bool same_slot(const Dump *a, const Slot *x, const Dump *b, const Slot *y)
{
    return same_name(a, x->path, b, y->path) && same_name(a, x->type, b, y->type) &&
           same_name(a, x->dtype, b, y->dtype) && same_name(a, x->shape, b, y->shape) &&
           same_name(a, x->checksum, b, y->checksum) &&
           same_name(a, x->data_name, b, y->data_name) && same_name(a, x->value, b, y->value) &&
           x->kind == y->kind && x->group == y->group && x->requires_grad == y->requires_grad &&
           same_stats(a, x, b, y);
}

static inline bool same_op(const Dump *a, const Op *x, const Dump *b, const Op *y)
{
    return same_name(a, x->name, b, y->name) && x->first_slot == y->first_slot &&
           x->slot_count == y->slot_count && x->offset == y->offset && x->call == y->call &&
           x->kind == y->kind && x->direction == y->direction && x->recompute == y->recompute &&
           x->is_nan == y->is_nan;
}

static inline bool differs_at(const char *what, uint32_t index)
{
    fprintf(stderr, "the readings differ: %s %u\n", what, index);
    return false;
}

static inline bool same_dump(const Dump *a, const Dump *b)
{
    if (a->op_count != b->op_count || a->slot_count != b->slot_count ||
        a->extra_count != b->extra_count)
        return differs_at("counts, slots of the first", a->slot_count);
    for (uint32_t i = 0; i < a->op_count; i++)
        if (!same_op(a, &a->ops[i], b, &b->ops[i]))
            return differs_at("op", i);
    for (uint32_t i = 0; i < a->slot_count; i++)
        if (!same_slot(a, &a->slots[i], b, &b->slots[i]))
            return differs_at("slot", i);
    for (uint32_t i = 0; i < a->extra_count; i++)
        if (a->extras[i].slot != b->extras[i].slot ||
            !same_name(a, a->extras[i].key, b, b->extras[i].key) ||
            !same_name(a, a->extras[i].text, b, b->extras[i].text))
            return differs_at("extra", i);
    if (!str_equal(a->task, b->task) || !str_equal(a->level, b->level) ||
        a->framework != b->framework || a->merged != b->merged)
        return differs_at("header", 0);
    if (a->partial_at != b->partial_at)
        return differs_at("place where it breaks, of the first", (uint32_t)a->partial_at);
    return (a->has_checksum == b->has_checksum && a->has_data_name == b->has_data_name) ||
           differs_at("what slots have", 0);
}

static inline bool same_notices(const Notices *a, const Notices *b)
{
    if (a->count != b->count)
        return differs_at("notices", (uint32_t)a->count);
    for (size_t i = 0; i < a->count; i++)
        if (!str_equal(a->items[i].text, b->items[i].text) ||
            a->items[i].byte != b->items[i].byte || a->items[i].count != b->items[i].count)
            return differs_at("notice", (uint32_t)i);
    return true;
}

#endif
