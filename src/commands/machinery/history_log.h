// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_HISTORY_LOG_H
#define VERNIER_COMMANDS_MACHINERY_HISTORY_LOG_H

#include "commands/machinery/product.h"
#include "verdict/history_text.h"

// --history FILE of the commands that a nightly job runs.

#define HISTORY_OPTION                                                                         \
    {                                                                                          \
        "history", 0, OPTION_TEXT, "FILE",                                                     \
            TR("keep the facts of this run in FILE and report what is new (docs/history.md)"), \
            OPTION_UPDATED                                                                     \
    }

// True if the night is to be kept.
bool history_wanted(const Options *options);

// Gives the verdict's sentence in the language of the moment (base/words.h).
typedef Str NightTeller(const void *of, Arena *arena);

// Completes the night (facts and states are the caller's) with the verdict in every language,
// label, date and, unless the caller did, the command, and adds it to the file of --history. The
// label is that of --title, else told from `path`, the target as shown. Gives the view for the
// reports, or NULL without --history. What goes wrong with the file becomes a warning and the exit
// code 5; the report is made all the same.
const HistoryView *history_log_keep(const Options *options, HistoryNight *tonight, Str path,
                                    NightTeller *tell, const void *of, Product *product);

// The picture with the report's verdict on top, in a file of its own: "history". Nothing without a
// view.
void history_log_draw(const HistoryView *view, const Verdict *verdict, Product *product);

#endif
