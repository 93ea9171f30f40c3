// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_STUDY_FILE_H
#define VERNIER_READ_SETTINGS_STUDY_FILE_H

#include "read/settings/study_plan.h"

const char *study_stage_key(StudyStage stage);  // the name of its section: "long_run"

// A Markdown file that is named but cannot be read gives an error notice (partial) and no text.
bool study_read(const char *path, Arena *arena, StudyPlan *out, Notices *notices, Error *err);

// NULL if the section does not have it.
const StudyValue *study_value(const StudySection *section, const char *key);

#endif
