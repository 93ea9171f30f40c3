// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_HELP_TOPICS_H
#define VERNIER_COMMANDS_HELP_TOPICS_H

#include "base/str.h"

// The topics of templates/help.table, which 'vernier help' and the manual pages share.

// Prints one, with what belongs to it of other tables; false: there is no such topic.
bool help_topic_print(Str topic);

// Calls `take` for each row of a topic that has this key ("row", "say", "example", "file"), in
// order. Texts are English; `text` is empty where the row has one part.
void help_topic_rows(Str topic, Str kind, void (*take)(const char *term, const char *text));

#endif
