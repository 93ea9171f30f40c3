// SPDX-License-Identifier: Apache-2.0
#include "compare/precheck_ops.h"

#include "base/utf8.h"
#include "base/words.h"

bool precheck_fails(const PrecheckOp *of)
{
    return of && status_differs(precheck_status(of->status));
}

Status precheck_status(PrecheckStatus status)
{
    static const Status statuses[PRECHECK_STATUSES] = {[PRECHECK_UNTOLD] = STATUS_NO_DATA,
                                                       [PRECHECK_SKIPPED] = STATUS_NO_DATA,
                                                       [PRECHECK_PASS] = STATUS_PASS,
                                                       [PRECHECK_WARNING] = STATUS_WARNING,
                                                       [PRECHECK_ERROR] = STATUS_ERROR};
    return statuses[status];
}

Str precheck_name(const PrecheckFinding *of, Arena *arena)
{
    if (of->plain)
        return of->api;
    return str_printf(arena, STR_FMT ".%s", STR_ARG(of->api),
                      of->backward ? "backward" : "forward");
}

// A message may span lines and be long.
static Str first_line(Str text)
{
    return str_trim(utf8_start(str_slice(text, 0, str_find_char(text, '\n', 0)), 160));
}

Str precheck_reason(const PrecheckFinding *of, Arena *arena)
{
    if (!of->figure)
        return first_line(of->message);
    return str_printf(arena, "%s " STR_FMT, tr(of->figure), STR_ARG(of->value));
}

const Names *precheck_ops(const Precheck *of, Arena *arena)
{
    Names *names = names_new(arena);
    for (size_t i = 0; i < of->count; i++) {
        const PrecheckFinding *it = &of->items[i];
        Str name = precheck_name(it, arena);
        NameId id = names_add(names, name);
        if (names_note(names, id) || it->status <= PRECHECK_SKIPPED)
            continue;
        PrecheckOp *op = ARENA_NEW(arena, PrecheckOp);
        const char *word = status_word(precheck_status(it->status));
        *op = (PrecheckOp){.name = name, .status = it->status, .text = str_of(word)};
        op->reason = precheck_fails(op) ? precheck_reason(it, arena) : (Str){"", 0};
        if (op->reason.size)
            op->text = str_printf(arena, "%s: " STR_FMT, word, STR_ARG(op->reason));
        names_set_note(names, id, op);
    }
    return names;
}

const PrecheckOp *precheck_of_op(const Comparison *comparison, const OpPair *op)
{
    if (!comparison->precheck || op->target == OP_NONE)
        return NULL;
    const Dump *dump = comparison->target->dump;
    NameId id =
        names_find(comparison->precheck, names_text(dump->names, dump->ops[op->target].name));
    return id == NAME_NONE ? NULL : names_note(comparison->precheck, id);
}
