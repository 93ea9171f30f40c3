// SPDX-License-Identifier: Apache-2.0
#include "base/notice.h"

#include <stdarg.h>

#include "base/array.h"

// Past this many different notices only counts go up; the last one says so. Bounds the memory and
// the time of a search that is linear.
enum { NOTICE_LIMIT = 500 };

void notices_init(Notices *notices, Arena *arena)
{
    *notices = (Notices){.arena = arena};
}

static Notice *find(Notices *notices, Str file, Str text)
{
    for (size_t i = 0; i < notices->count; i++)
        if (str_equal(notices->items[i].text, text) && str_equal(notices->items[i].file, file))
            return &notices->items[i];
    return notices->count >= NOTICE_LIMIT ? &notices->items[notices->count - 1] : NULL;
}

static void add(Notices *notices, Notice notice)
{
    notice.file = redact_path(notices->redaction, notice.file, notices->arena);
    notice.text = redact_text(notices->redaction, notice.text, notices->arena);
    Notice *known = find(notices, notice.file, notice.text);
    if (known) {
        known->count += notice.count;
        known->partial = known->partial || notice.partial;
        return;
    }
    notice.file = str_copy(notices->arena, notice.file);
    notice.text = str_copy(notices->arena, notice.text);
    *ARRAY_PUSH(notices->arena, notices) = notice;
}

static void add_partial(Notices *notices, Notice notice)
{
    notice.partial = true;
    notices->account.seen++;
    notices->account.not_understood++;
    add(notices, notice);
}

static Notice make(Notices *notices, NoticeLevel level, Where where, const char *format,
                   va_list args) __attribute__((format(printf, 4, 0)));

static Notice make(Notices *notices, NoticeLevel level, Where where, const char *format,
                   va_list args)
{
    return (Notice){.level = level,
                    .file = str_of(where.file),
                    .line = where.line,
                    .byte = where.byte,
                    .text = str_vprintf(notices->arena, format, args),
                    .count = 1};
}

void notices_add(Notices *notices, NoticeLevel level, Where where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(notices, make(notices, level, where, format, args));
    va_end(args);
}

void notices_partial(Notices *notices, Where where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Notice notice = make(notices, NOTICE_WARNING, where, format, args);
    va_end(args);
    add_partial(notices, notice);
}

void notices_add_error(Notices *notices, const Error *err)
{
    add_partial(notices, (Notice){.level = NOTICE_ERROR,
                                  .file = str_of(err->file),
                                  .line = err->line,
                                  .byte = err->byte,
                                  .text = str_of(err->text),
                                  .count = 1});
}

bool notices_any_partial(const Notices *notices)
{
    for (size_t i = 0; i < notices->count; i++)
        if (notices->items[i].partial)
            return true;
    return false;
}

void notices_join(Notices *notices, const Notices *from)
{
    for (size_t i = 0; i < from->count; i++)
        add(notices, from->items[i]);
    account_join(&notices->account, &from->account);
}

void notices_move(Notices *notices, Notices *from)
{
    notices_join(notices, from);
    from->count = 0;
    from->account = (Account){0};
}

bool notices_join_new(Notices *notices, const Notices *from)
{
    size_t before = notices->count;
    for (size_t i = 0; i < from->count; i++)
        if (!find(notices, from->items[i].file, from->items[i].text))
            add(notices, from->items[i]);
    return notices->count > before;
}
