// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_SHELL_COMPLETION_H
#define VERNIER_COMMANDS_SHELL_COMPLETION_H

// vernier completion bash|zsh|fish: prints the script that makes the shell complete commands,
// options and their values. Returns the exit code: 2 for a shell that is not known, or NULL.
int command_completion(const char *shell);

#endif
