// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OPENER_H
#define VERNIER_COMMANDS_MACHINERY_OPENER_H

// Shows the file as the user's desktop does: with the first of $BROWSER (commands with a colon
// between them, %s is the file), wslview, xdg-open, open that can be started, without a shell. Not
// without a terminal, in CI or without a display. NULL: shown; else why not (translated). Waits no
// longer than a moment for one that runs on.
const char *opener_show(const char *path);

#endif
