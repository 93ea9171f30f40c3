// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "read/dump/stack.h"

// Any bytes as stack.json: no crash, and every frame can be taken apart or refused.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_frames(const StackFrames *frames)
{
    Frame frame;
    for (uint32_t i = 0; frames && i < frames->count; i++)
        if (frame_parse(frames->frames[i], &frame) && frame.file.size > frames->frames[i].size)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const ops[] = {"Torch.add.0.forward", "a", "0", ""};
    Arena *arena = arena_new();
    Names *names = names_new(arena);
    Notices notices;
    notices_init(&notices, arena);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        names_add(names, str_of(ops[i]));
    Str text = fuzz_copy(data, size);
    Stacks *stacks = stacks_of_text("stack.json", text, names, arena, &notices);
    for (NameId id = 0; id <= names_count(names); id++)
        parse_frames(stacks_find(stacks, id));
    free((void *)text.data);
    arena_release(arena);
    return 0;
}
