// SPDX-License-Identifier: Apache-2.0
// The manual pages, made from the option tables, so that they say what --help says.
#include "commands/shell/man_page.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "commands/command_table.h"
#include "commands/help_topics.h"

// A dot at the start of a line would be taken for a request; quotes and dashes would be made
// typographic, and what a user copies would not run.
static void print_text(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        const char *escaped = *text == '\\'   ? "\\e"
                              : *text == '-'  ? "\\-"
                              : *text == '\'' ? "\\(aq"
                              : *text == '`'  ? "\\(ga"
                              : *text == '^'  ? "\\(ha"
                              : *text == '~'  ? "\\(ti"
                                              : NULL;
        if (escaped)
            fputs(escaped, stdout);
        else
            putchar(*text);
    }
}

static void print_line(const char *text)
{
    print_text(text);
    putchar('\n');
}

static void print_section(const char *title)
{
    printf(".SH \"%s\"\n", title);
}

static void print_entry(const char *term, const char *text)
{
    fputs(".TP\n\\fB", stdout);
    print_text(term);
    fputs("\\fR\n", stdout);
    print_line(tr(text));
}

static void print_paragraph(const char *text, const char *none)
{
    (void)none;
    print_line(tr(text));
}

static void print_options(const char *title, const OptionSpec *specs, size_t count)
{
    print_section(title);
    for (size_t i = 0; i < count; i++) {
        fputs(".TP\n\\fB", stdout);
        if (specs[i].letter)
            printf("\\-%c, ", specs[i].letter);
        fputs("\\-\\-", stdout);
        print_text(specs[i].name);
        fputs("\\fR", stdout);
        if (specs[i].argument) {
            fputs(" \\fI", stdout);
            print_text(specs[i].argument);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        print_line(tr(specs[i].help));
    }
}

static void print_example(const char *does, const char *line)
{
    print_entry(line, does);
}

static void print_description(const char *topic)
{
    print_section(tr("DESCRIPTION"));
    help_topic_rows(str_of(topic), STR("say"), print_paragraph);
}

static void print_head(const char *command, const char *purpose)
{
    printf(".TH VERNIER%s%s 1 \"\" \"vernier " VERNIER_VERSION "\" \"User Commands\"\n",
           command ? "\\-" : "", command ? command : "");
    // Lines may break between Chinese letters, and have few spaces to stretch.
    if (words_lang() == LANG_ZH)
        puts(".ad l\n.mso zh.tmac");
    print_section(tr("NAME"));
    printf("vernier%s%s \\- ", command ? "\\-" : "", command ? command : "");
    print_line(purpose);
    print_section(tr("SYNOPSIS"));
}

static void print_synopsis(const Command *command)
{
    bool optional;
    const char *words = command_words(command, &optional);
    printf("\\fBvernier %s\\fR", command->name);
    if (words) {
        fputs(optional ? " [\\fI" : " \\fI", stdout);
        print_text(words);
        fputs(optional ? "\\fR]" : "\\fR", stdout);
    }
    puts(command->spec ? " [\\fIOPTION\\fR]..." : "");
}

static void print_foot(const Command *except)
{
    print_section(tr("EXIT STATUS"));
    help_topic_rows(STR("exit"), STR("row"), print_entry);
    print_section(tr("ENVIRONMENT"));
    help_topic_rows(STR("environment"), STR("row"), print_entry);
    print_section(tr("FILES"));
    if (except)
        help_topic_rows(str_of(except->name), STR("file"), print_entry);
    help_topic_rows(STR("files"), STR("row"), print_entry);
    print_section(tr("SEE ALSO"));
    if (except)
        fputs("\\fBvernier\\fR(1)", stdout);
    const char *comma = except ? ", " : "";
    for (size_t i = 0; i < command_table_count; i++) {
        if (&command_table[i] == except)
            continue;
        printf("%s\\fBvernier\\-%s\\fR(1)", comma, command_table[i].name);
        comma = ",\n";
    }
    putchar('\n');
}

static void print_program(void)
{
    print_head(NULL, tr("find where two runs of one model diverge, from their dumps and logs"));
    for (size_t i = 0; i < command_table_count; i++) {
        print_synopsis(&command_table[i]);
        if (i + 1 < command_table_count)
            puts(".br");
    }
    print_description("vernier");
    print_section(tr("COMMANDS"));
    for (size_t i = 0; i < command_table_count; i++) {
        printf(".TP\n\\fB%s\\fR\n", command_table[i].name);
        print_line(tr(command_table[i].purpose));
    }
    print_options(tr("OPTIONS OF EVERY COMMAND"), common_options, common_option_count);
    print_foot(NULL);
}

static void print_command(const Command *command)
{
    const CommandSpec *spec = command->spec;
    print_head(command->name, tr(command->purpose));
    print_synopsis(command);
    print_description(command->name);
    if (spec && spec->option_count)
        print_options(tr("OPTIONS"), spec->options, spec->option_count);
    if (spec) {
        print_options(tr("OPTIONS OF EVERY COMMAND"), common_options, common_option_count);
        print_section(tr("EXAMPLES"));
        help_topic_rows(str_of(command->name), STR("example"), print_example);
    }
    print_foot(command);
}

int command_man(const char *name)
{
    const Command *command = name ? command_find(name) : NULL;
    if (name && !command) {
        fprintf(stderr, tr("vernier: error: '%s' has no manual page\n"), name);
        return 2;
    }
    if (command)
        print_command(command);
    else
        print_program();
    return 0;
}
