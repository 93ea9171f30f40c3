// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_TORCH_STATE_H
#define VERNIER_READ_TENSOR_TORCH_STATE_H

#include "base/file.h"
#include "read/tensor/tensor.h"
#include "read/tensor/torch_content.h"

// A checkpoint of torch.save: dicts and lists of tensors, nested in any way, as state_dict(),
// training frameworks and pytorch_model.bin leave them. What is no tensor (numbers, arguments,
// states of random generators) is passed over there; in what an engine dumped it counts.

typedef struct StatePart {
    Str name;         // keys and indexes on the way, joined by points: "optimizer.state.0.exp_avg"
    size_t key_size;  // bytes of its outermost key
    const PickleValue *value;
} StatePart;

typedef struct TorchState {
    const char *path;
    StatePart *items;  // of torch_state_open by name, digit runs by value
    size_t count, capacity;
    UnreadNames unread;  // of torch_state_open
    uint64_t described;  // a sum over the numbers, texts and plain lists that it passes over
    TorchContent content;
    File file;
} TorchState;

// Whether the file is one of torch.save and does not hold a bare tensor.
bool torch_state_is(const char *path, Str bytes);

// "Pass00012.pt": a forward pass of SGLang or vLLM, a dict of what modules gave in the order in
// which they ran. No checkpoint, whatever its keys end in. `number`: 12.
bool torch_state_is_pass(Str path, int64_t *number);

// Names and lists live in `arena`. Names of what lies below a dict called model, module, state_dict
// or model_state_dict at the top begin below it. A tensor that cannot be read is left out, with a
// notice.
bool torch_state_open(const char *path, Arena *arena, TorchState *out, Notices *notices,
                      Error *err);
// The same with numbers, texts, flags, None and plain lists (torch_list.h), each a part like a
// tensor. What is neither is reported as partly unreadable, devices and paths aside, and so are
// lists beyond 33,554,432 elements and bytes of text together.
bool torch_state_open_all(const char *path, Arena *arena, TorchState *out, Notices *notices,
                          Error *err);
void torch_state_close(TorchState *state);

// A number, text, flag or None as Python shows it, a text without quotes unless it is empty, and a
// plain list by torch_list_text. False for all else. Texts may be borrowed from the file.
bool torch_state_text(const PickleValue *value, Arena *arena, Str *out);

// The same from bytes in memory, which must outlive `out`.
bool torch_state_read(const char *path, Str bytes, Arena *arena, TorchState *out, Notices *notices,
                      Error *err);

// Index of the first part of that name of torch_state_open, or SIZE_MAX.
size_t torch_state_find(const TorchState *state, Str name);

// Of a part that is a tensor.
Tensor torch_state_tensor(const TorchState *state, size_t index);

// The mark of the storage of a tensor of this state, which its views share; NULL: there is none.
// It ends with the state.
CrcMark *torch_state_mark(const TorchState *state, const Tensor *tensor);

// Appends all tensors within `value`, readable or not, in the order of the file. Fails if they are
// nested deeper than 32, or shared without end.
bool torch_state_list(TorchState *state, const PickleValue *value, Arena *arena, Error *err);

#endif
