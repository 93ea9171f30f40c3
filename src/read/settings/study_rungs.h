// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_SETTINGS_STUDY_RUNGS_H
#define VERNIER_READ_SETTINGS_STUDY_RUNGS_H

#include "read/settings/study_plan.h"
#include "read/settings/yaml_tree.h"

// The experiments of a ladder: StudyPlan.rungs. A rung without logs is one that is still to be run.

bool study_rungs_of_list(const char *path, const YamlNode *list, Arena *arena, StudyPlan *plan,
                         Error *err);
// A table of experiments, CSV or xlsx, is a study with this stage alone.
bool study_rungs_of_table(const char *path, Arena *arena, StudyPlan *plan, Notices *notices,
                          Error *err);

// A path of the plan: relative ones start at its folder.
Str study_resolve(const StudyPlan *plan, Str path, Arena *arena);

#endif
