// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_time.h"

#include <math.h>

#include "check.h"

static double time_of(const char *line)
{
    size_t place = 0;
    return log_time(str_of(line), &place);
}

static void times_are_seconds_of_the_calendar(void)
{
    CHECK(time_of("1970-01-01 00:00:00") == 0);
    CHECK(time_of("[2025-05-06 07:00:10] iteration 1/ 2 |") == 1746514810.0);
    CHECK(time_of("2025-05-06T07:00:10Z x") == 1746514810.0);
    CHECK(fabs(time_of("2025-05-06 07:00:10,250 - INFO") - 1746514810.25) < 1e-6);
    CHECK(time_of("2024-03-01 00:00:00") - time_of("2024-02-29 00:00:00") == 86400);
    CHECK(time_of("2025-03-01 00:00:00") - time_of("2025-02-28 00:00:00") == 86400);
}

static void what_is_no_time_is_none(void)
{
    CHECK(isnan(time_of("")));
    CHECK(isnan(time_of("iteration 1/ 2 | consumed samples: 4")));
    CHECK(isnan(time_of("2025-13-06 07:00:10")));
    CHECK(isnan(time_of("2025-05-06 07:00")));
    CHECK(isnan(time_of("20255-05-06 07:00:1")));
}

static void the_place_of_the_last_line_is_tried_first_and_never_misleads(void)
{
    size_t place = 0;
    CHECK(log_time(STR("[rank0]: 2025-05-06 07:00:10 a"), &place) == 1746514810.0);
    CHECK(place == 9);
    CHECK(log_time(STR("2025-05-06 07:00:11 b"), &place) == 1746514811.0);
    CHECK(isnan(log_time(STR("short"), &place)));
}

static void durations_have_many_spellings(void)
{
    double seconds = 0;
    CHECK(duration_of_text(STR("1:02:03"), &seconds) && seconds == 3723);
    CHECK(duration_of_text(STR("02:03"), &seconds) && seconds == 123);
    CHECK(duration_of_text(STR("2 days, 1:00:00"), &seconds) && seconds == 176400);
    CHECK(!duration_of_text(STR("2070:027:9223372036854775807"), &seconds));
    CHECK(!duration_of_text(STR("9223372036854775807:00"), &seconds));
    CHECK(duration_of_text(STR("1d 2h 3m 4s"), &seconds) && seconds == 93784);
    CHECK(duration_of_text(STR("0m 15s"), &seconds) && seconds == 15);
    CHECK(!duration_of_text(STR(""), &seconds));
    CHECK(!duration_of_text(STR("12"), &seconds));
    CHECK(!duration_of_text(STR("1:x"), &seconds));
    CHECK(!duration_of_text(STR("99999999999:99999999999:99999999999"), &seconds));
}

int main(void)
{
    CHECK_RUN(times_are_seconds_of_the_calendar);
    CHECK_RUN(what_is_no_time_is_none);
    CHECK_RUN(the_place_of_the_last_line_is_tried_first_and_never_misleads);
    CHECK_RUN(durations_have_many_spellings);
    return CHECK_RESULT;
}
