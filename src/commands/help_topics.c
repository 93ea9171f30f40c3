// SPDX-License-Identifier: Apache-2.0
// vernier help exit, vernier help formats.
#include "commands/help_topics.h"

#include <stdio.h>

#include "base/words.h"
#include "commands/machinery/terminal_text.h"

const HelpEntry exit_codes[] = {
    {"0", TR("nothing beyond tolerance; of curves CANNOT TELL and what one run alone shows, too")},
    {"1", TR("a difference beyond tolerance, or something found")},
    {"2", TR("the command line is wrong")},
    {"3", TR("an input cannot be read, or nothing could be compared")},
    {"4",
     TR("nothing beyond tolerance in what could be read, but part of an input was unreadable")},
    {"5", TR("an output could not be written")},
    {"130, 143", TR("interrupted; no half-written file is left")},
};
const size_t exit_code_count = sizeof exit_codes / sizeof *exit_codes;

// Every word that --format knows, in the order of the renderers, then of data_formats.
static const HelpEntry format_words[] = {
    {"html", TR("index.html: the whole report as one page")},
    {"svg", TR("pictures, with text that can be searched")},
    {"png", TR("pictures as pixels")},
    {"pdf", TR("pictures for print; of some commands the whole report")},
    {"xlsx", TR("tables as workbooks")},
    {"csv", TR("the rows of a table")},
    {"md", TR("summary.md: text for a ticket")},
    {"jira", TR("summary.jira: the same in Jira's wiki markup")},
    {"txt", TR("summary.txt: the same for a mail, 72 columns wide")},
    {"fragment", TR("summary.html: the same as HTML to paste into an editor")},
    {"chat", TR("summary.chat: five lines for a chat")},
    {"slack", TR("the same as the body for a web hook of Slack")},
    {"dingtalk", TR("for one of DingTalk")},
    {"feishu", TR("for one of Feishu")},
    {"wecom", TR("for one of WeCom")},
    {"trace", TR("pictures as lines of text, for tests")},
    {"json", TR("summary.json: every fact, for programs")},
    {"nodes", TR("every node of both hierarchies (compare, graph)")},
    {"junit", TR("junit.xml: a test case a module (compare)")},
    {"sarif", TR("findings for code scanning and editors")},
    {"codequality", TR("findings for merge requests of GitLab")},
    {"github", TR("annotations for GitHub Actions")},
    {"openmetrics", TR("numbers for Prometheus")},
    {"vis-db", TR("a database for msProbe's graph viewer (compare, graph)")},
    {"dump", TR("vernier.dump/1, by file name .jsonl (convert)")},
};
void help_print_entries(const HelpEntry *entries, size_t count, int width)
{
    size_t indent = (size_t)width + 3;
    for (size_t i = 0; i < count; i++) {
        size_t printed = (size_t)printf("  %s ", entries[i].term);
        terminal_print(stdout, printed, indent, tr(entries[i].text));
    }
}

int command_help_exit(void)
{
    printf("%s\n", tr("Exit codes"));
    help_print_entries(exit_codes, exit_code_count, 12);
    return 0;
}

int command_help_formats(void)
{
    terminal_print(stdout, 0, 0,
                   tr("Formats: --format LIST for a folder, or the ending of a file after -o"));
    help_print_entries(format_words, sizeof format_words / sizeof *format_words, 12);
    return 0;
}
