// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_DUMP_STACK_H
#define VERNIER_READ_DUMP_STACK_H

#include "base/names.h"
#include "base/notice.h"

// stack.json, grouped or flat (docs/spec/dump-format.md §4). Opened cheaply; the file is read at
// the first question, since most runs never ask.
typedef struct Stacks Stacks;

typedef struct StackFrames {
    const Str *frames;  // innermost call first, as in the file
    uint32_t count;
    uint32_t group;  // equal for ops that share one list; counts up in file order
} StackFrames;

// `names` must stay valid and is only searched. The file need not exist. Trouble goes to `notices`
// at the first question.
Stacks *stacks_open(const char *path, const Names *names, Arena *arena, Notices *notices);

// From bytes in memory, read at once, for tests and fuzzing.
Stacks *stacks_of_text(const char *path, Str text, const Names *names, Arena *arena,
                       Notices *notices);

bool stacks_exist(const Stacks *stacks);  // the file is there

// The stack recorded under exactly this name; NULL if there is none. Use of a forward twin for
// backward ops is up to the caller.
const StackFrames *stacks_find(Stacks *stacks, NameId op);

// One frame taken apart: "File <path>, line <n>, in <function>, \n <source>". False if it has
// another form.
typedef struct Frame {
    Str file;
    int64_t line;
    Str function;
    Str source;
} Frame;
bool frame_parse(Str text, Frame *out);

#endif
