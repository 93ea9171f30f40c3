// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_FACTS_COMPARE_FIELDS_H
#define VERNIER_EXPORT_FACTS_COMPARE_FIELDS_H

#include "export/facts/fields.h"

// The field lists of what is kept of comparisons.

extern const Fields pair_place_fields,
    pair_fields;                        // of PairFacts: which one it is; what was found
extern const Fields pair_whole_fields;  // both
extern const Fields first_fields, worst_fields, read_fields;
extern const Fields junit_case_fields, layer_fields, notice_fields, account_fields;
extern const Fields criteria_fields, rule_fields;
extern const Fields name_pair_fields, name_mapping_fields;
extern const Fields layer_rule_fields, layer_mapping_fields;
extern const Fields pair_file_fields;

#endif
