// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_JSON_JSON_SCAN_H
#define VERNIER_READ_JSON_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notice.h"
#include "base/str.h"

// Walking JSON text in place: no tree, no copy, no recursion. Everything works on the whole text
// and a position in it, so that every trouble has its byte.

enum { JSON_DEPTH_MAX = 512 };

typedef enum ScanStatus {
    SCAN_OK,
    SCAN_CUT,  // the text ends inside
    SCAN_BAD,  // not JSON
    SCAN_DEEP  // nested deeper than JSON_DEPTH_MAX; the position is after the value all the same
} ScanStatus;

// The part between the quotes as it is in the text; with `escaped` it needs scan_decode.
typedef struct ScanString {
    Str raw;
    bool escaped;
} ScanString;

// The text of a JSON file without NUL bytes at its end (holes that a crash leaves). Fails on a text
// without anything but white space.
bool scan_clean(const char *path, Str text, Str *out, Notices *notices, Error *err);

size_t scan_space(Str text, size_t at);  // the next position that is no white space

// These three start at *at and move it after what they read; in trouble *at is where it is.
ScanStatus scan_string(Str text, size_t *at, ScanString *out);
ScanStatus scan_value(Str text, size_t *at, int depth);   // any value; `depth` brackets are open
ScanStatus scan_literal(Str text, size_t *at, Str *out);  // a number or word up to its delimiter

// Appends the characters of a raw string as UTF-8. A lone surrogate gives its three bytes, so that
// names that differ stay different. False on an escape that JSON does not have.
bool scan_decode(Str raw, StrBuf *out);

// The characters of a string: as they stand, or decoded into `decoded`, which is emptied before.
// False on a bad escape.
bool scan_text(ScanString string, StrBuf *decoded, Str *out);

// The end of the number at `at`, `at` itself if there is none. Python's words NaN, Infinity and
// -Infinity count as real numbers. *real: it has a point, an exponent, or is such a word.
size_t scan_number(Str text, size_t at, bool *real);

// The members of an object one by one. `at` comes after the colon after scan_object_next; the
// caller moves it after the value.
typedef struct ScanObject {
    Str text;
    size_t at;
    bool first;
    ScanStatus status;  // why scan_object_next gave false; SCAN_OK: at the closing bracket
} ScanObject;

void scan_object_open(ScanObject *object, Str text, size_t at);  // `at` is on the bracket
bool scan_object_next(ScanObject *object, ScanString *key, size_t *key_at);

// The first key of the object that the text begins with, as it stands; empty if there is none.
Str scan_first_key(Str text);

// The items of a list, likewise: `at` stands on the item after scan_list_next.
typedef struct ScanList {
    Str text;
    size_t at;
    bool first;
    ScanStatus status;
} ScanList;

void scan_list_open(ScanList *list, Str text, size_t at);
bool scan_list_next(ScanList *list);

// One file that is walked, for what is said about it.
typedef struct ScanFile {
    const char *path;
    Str text;
    Notices *notices;
} ScanFile;

Where scan_where(const ScanFile *file, size_t at);

// SCAN_CUT or SCAN_BAD at `at`: a partial notice, what was read before is used.
void scan_break_off(const ScanFile *file, size_t at, ScanStatus status);

// Says with its byte what comes after the document, if anything does.
void scan_trailing(const ScanFile *file, size_t at);

// Hands over every whole member of the object at `at`, its value at [from, to) of the text; then
// says where the file breaks off, or what follows the object.
typedef void ScanMember(void *context, ScanString key, size_t key_at, size_t from, size_t to);
void scan_members(const ScanFile *file, size_t at, ScanMember *member, void *context);

#endif
