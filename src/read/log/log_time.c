// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_time.h"

#include <math.h>

#include "base/line_scan.h"

enum { STAMP_BYTES = 19, SEARCH_BYTES = 128, DAY = 86400 };

// Days since 1970-01-01 in the Gregorian calendar; years begin in March, so the leap day is the
// last.
static int64_t day_number(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = month > 2 ? year : year - 1;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + of_year - 719468;
}

static double fraction(Scan *scan)
{
    double value = 0, unit = 0.1;
    if (!scan_char(scan, '.') && !scan_char(scan, ','))
        return 0;
    for (; scan->at < scan->text.size; scan->at++, unit /= 10) {
        char c = scan->text.data[scan->at];
        if (c < '0' || c > '9')
            break;
        value += unit * (c - '0');
    }
    return value;
}

// Two digits at `at`, of "20 12:34:56"; negative: there are none.
static int64_t pair_at(const char *at)
{
    return is_digit(at[0]) && is_digit(at[1]) ? (at[0] - '0') * 10 + at[1] - '0' : -1;
}

// "2026-01-31 12:34:56", the blank or a 'T', with or without a fraction.
static bool stamp_at(Str line, size_t at, double *seconds)
{
    if (line.size < STAMP_BYTES || at > line.size - STAMP_BYTES || line.data[at + 4] != '-' ||
        line.data[at + 7] != '-' || line.data[at + 13] != ':')
        return false;
    const char *text = line.data + at;
    int64_t century = pair_at(text), years = pair_at(text + 2), month = pair_at(text + 5),
            day = pair_at(text + 8), hour = pair_at(text + 11), minute = pair_at(text + 14),
            second = pair_at(text + 17);
    bool more = line.size > at + STAMP_BYTES && is_digit(text[STAMP_BYTES]);
    bool digits = !more && century >= 0 && years >= 0 && hour >= 0 && minute >= 0 && second >= 0;
    if (!digits || (text[10] != ' ' && text[10] != 'T') || text[16] != ':' || month < 1 ||
        month > 12 || day < 1 || day > 31)
        return false;
    Scan scan = {line, at + STAMP_BYTES};
    int64_t year = century * 100 + years;
    int64_t whole = day_number(year, month, day) * DAY + (hour * 60 + minute) * 60 + second;
    *seconds = (double)whole + fraction(&scan);
    return true;
}

double log_time(Str line, size_t *place)
{
    double seconds;
    if (stamp_at(line, *place, &seconds))
        return seconds;
    Str head = str_slice(line, 0, SEARCH_BYTES);
    for (size_t dash = str_find_char(head, '-', 4); dash != SIZE_MAX;
         dash = str_find_char(head, '-', dash + 1))
        if (stamp_at(line, dash - 4, &seconds)) {
            *place = dash - 4;
            return seconds;
        }
    return NAN;
}

// "1d 2h 3m 4s"
static bool unit_duration(Scan scan, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"d", DAY}, {"h", 3600}, {"m", 60}, {"s", 1}};
    *seconds = 0;
    bool any = false;
    while (!scan_done(&scan)) {
        int64_t count;
        bool known = false;
        scan_blanks(&scan);
        if (!scan_uint(&scan, &count))
            return false;
        for (size_t i = 0; i < sizeof units / sizeof *units && !known; i++) {
            known = scan_word(&scan, units[i].unit);
            *seconds += known ? (double)count * units[i].seconds : 0;
        }
        if (!known)
            return false;
        any = true;
    }
    return any;
}

bool duration_of_text(Str text, double *seconds)
{
    Scan scan = scan_of(str_trim(text));
    Scan days = scan;
    enum { TOTAL_MAX = 100000000 };
    int64_t count, part, total = 0;
    double ahead = 0;
    if (scan_uint(&days, &count) && (scan_word(&days, " days, ") || scan_word(&days, " day, "))) {
        ahead = (double)count * DAY;
        scan = days;
    }
    Scan clock = scan;
    if (!scan_uint(&clock, &total) || !scan_char(&clock, ':'))
        return unit_duration(scan, seconds);
    do {
        if (!scan_uint(&clock, &part) || part > TOTAL_MAX || total > TOTAL_MAX)
            return false;
        total = total * 60 + part;
    } while (scan_char(&clock, ':'));
    *seconds = ahead + (double)total + fraction(&clock);
    return scan_done(&clock);
}
