// SPDX-License-Identifier: Apache-2.0
// vernier help rules: every check with its source, its floors and limits.
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/terminal_text.h"
#include "compare/judge/floor.h"
#include "compare/judge/judge.h"
#include "compare/judge/noise.h"
#include "compare/judge/rule_table.h"
#include "compare/msprobe/msprobe_colour.h"
#include "compare/msprobe/msprobe_verdict.h"
#include "read/known_rows.h"
#include "trend/curves/curve_rules.h"

// The text of a rule, below it in brackets where it applies or comes from.
static void print_rule(int printed, size_t column, const char *text, const char *source)
{
    char below[600];
    terminal_print(stdout, (size_t)printed, column, text);
    snprintf(below, sizeof below, "(%s)", source);
    terminal_print(stdout, 0, column, below);
}

static const char *said_of(const char *head, Str name, const char *key, Arena *arena)
{
    return tr(known_text("rules.table", head, name, key, arena));
}

static void print_scope(RuleScope scope, const char *heading, Arena *arena)
{
    terminal_print(stdout, 0, 0, heading);
    for (int rule = REASON_NONE + 1; rule < RULE_COUNT; rule++) {
        const RuleRow *row = &rule_table[rule];
        if (row->scope != scope)
            continue;
        int printed = printf("  %-15s %s ", row->id, row->levels);
        print_rule(printed, 34, tr(rule_says((Rule)rule, arena)),
                   said_of("rule", str_of(row->id), "source", arena));
    }
    putchar('\n');
}

static void print_vernier(Arena *arena)
{
    static const char *const headings[RULE_SCOPES] = {
        [RULE_CHECKS] =
            TR("Rules vernier (the default). A slot has the worst status that applies."),
        [RULE_EXCUSES] = TR("A slot that differs and is excused by"),
        [RULE_FLOORS] = TR("The floor of a slot is changed by"),
        [RULE_ACCUSES] = TR("A slot within its floor differs by"),
        [RULE_SETTLES] = TR("An op on one side only is no divergence by"),
        [RULE_PLACES] = TR("The point of divergence is named by"),
    };
    for (int scope = 0; scope < RULE_SCOPES; scope++)
        print_scope((RuleScope)scope, tr(headings[scope]), arena);
    terminal_print(stdout, 0, 0,
                   tr("--without RULE[,RULE] of vernier compare judges without those that are no "
                      "checks: what does a rule change?"));
}

// Where a floor is not that of the table.
static void print_exceptions(void)
{
    char line[600];
    snprintf(
        line, sizeof line,
        tr("float16: a norm of numbers below %g, or one that is infinite, is lost: the largest "
           "element replaces it. Every floor is %d times %.1e, the smallest number, wider"),
        FLOAT16_SMALL, HALF_STEPS, FLOAT16_SMALLEST);
    terminal_print(stdout, 0, 2, line);
    snprintf(line, sizeof line,
             tr("first-change, an input that no op produced: that of its own type, times %g, where "
                "the results of %d ops before it are equal bit for bit"),
             FLOOR_MEASURED, ROUNDS_ALIKE);
    terminal_print(stdout, 0, 2, line);
}

static void print_floors(void)
{
    static const struct {
        const char *name;
        Precision precision;
    } rows[] = {{"float64", PRECISION_F64},
                {"float32", PRECISION_F32},
                {"float16", PRECISION_F16},
                {"bfloat16", PRECISION_BF16},
                {"float8", PRECISION_F8}};
    putchar('\n');
    terminal_print(
        stdout, 0, 0,
        tr("Floors without noise runs. Norm is relative to itself, Max and Min to the largest "
           "element, Mean to norm / sqrt(n):"));
    printf("  %-9s %8s %9s %8s\n", "dtype", "Norm", "Max, Min", "Mean");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Precision p = rows[i].precision;
        printf("  %-9s %8.1e %9.1e %8.1e\n", rows[i].name, floor_default(STAT_NORM, p, p),
               floor_default(STAT_MAX, p, p), floor_default(STAT_MEAN, p, p));
    }
    print_exceptions();
    terminal_print(stdout, 0, 0,
                   tr("Floors with noise runs: moderated spreads of the runs, times"));
    printf("  Norm %.0f, Max %.0f, Min %.0f, Mean %.0f\n", noise_multiple(STAT_NORM),
           noise_multiple(STAT_MAX), noise_multiple(STAT_MIN), noise_multiple(STAT_MEAN));
}

static void print_msprobe(void)
{
    putchar('\n');
    terminal_print(stdout, 0, 0,
                   tr("Rules msprobe26: the verdicts of msProbe since 26.0, to the letter."));
    for (int i = 0; i < MSPROBE_RULE_COUNT; i++) {
        int printed =
            printf("  %-10s %s ", msprobe_rules[i].id, status_word(msprobe_rules[i].level));
        print_rule(printed, 22, tr(msprobe_rules[i].text), tr(msprobe_rules[i].applies));
    }
    putchar('\n');
    terminal_print(stdout, 0, 0,
                   tr("Rules msprobe8: notes and colours of msProbe 8.x, to the letter."));
    static const char *const colours[] = {"", "red", "yellow"};
    for (int i = 0; i < MSPROBE_NOTE_COUNT; i++)
        terminal_print(
            stdout,
            (size_t)printf("  %-20s %s ", msprobe_notes[i].id, colours[msprobe_notes[i].colour]),
            31, tr(msprobe_notes[i].text));
}

static void print_limit(const TrendRule *rule, Arena *arena)
{
    char text[32];
    bool share = rule->unit[0] == '%';
    if (!rule->limit)
        text[0] = '\0';
    else
        snprintf(text, sizeof text, "%g%s%s", *rule->limit * (share ? 100 : 1), share ? " " : "",
                 rule->unit);
    Str name = str_printf(arena, "%s %s", rule->command, rule->id);
    print_rule(printf("  %-16s %6s ", rule->id, text), 27, said_of("limit", name, "says", arena),
               said_of("limit", name, "source", arena));
}

static void print_trend(Arena *arena)
{
    const char *command = "";
    for (size_t i = 0; i < trend_rule_count; i++) {
        if (strcmp(command, trend_rules[i].command) != 0)
            printf(tr("\nLimits of vernier %s\n"), trend_rules[i].command);
        command = trend_rules[i].command;
        print_limit(&trend_rules[i], arena);
    }
}

int command_help_rules(void)
{
    Arena *arena = arena_new();
    print_vernier(arena);
    print_floors();
    print_msprobe();
    print_trend(arena);
    arena_release(arena);
    putchar('\n');
    terminal_print(stdout, 0, 0,
                   tr("--criteria FILE changes tolerances and leaves slots out: docs/criteria.md"));
    return 0;
}
