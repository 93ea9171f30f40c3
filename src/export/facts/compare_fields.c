// SPDX-License-Identifier: Apache-2.0
#include "export/facts/compare_fields.h"

#include "compare/layer_facts.h"
#include "export/ci/junit.h"
#include "read/settings/mapping_file.h"

// ---- words; not translated

#define WORDS(function, values, ...)                            \
    static const char *function(unsigned value)                 \
    {                                                           \
        static const char *const words[values] = {__VA_ARGS__}; \
        return words[value];                                    \
    }

WORDS(metric_of, METRIC_COUNT, [METRIC_NORM] = "NormRelativeErr", [METRIC_MAX] = "MaxRelativeErr",
      [METRIC_MIN] = "MinRelativeErr", [METRIC_MEAN] = "MeanRelativeErr", [METRIC_VALUE] = "value",
      [METRIC_CHECKSUM] = "checksum", [METRIC_ELEMENTS] = "elements")

static const char *rule_of(unsigned value)
{
    return value == REASON_NONE ? NULL : rule_table[value].id;
}

WORDS(level_of, NOTICE_LEVEL_COUNT, [NOTICE_INFO] = "info", [NOTICE_TOLD] = "info",
      [NOTICE_WARNING] = "warning", [NOTICE_UNMET] = "warning", [NOTICE_ERROR] = "error")

static const char *status_of(unsigned value)
{
    return status_word((Status)value);
}

static const char *direction_of(unsigned value)
{
    static const char *const words[DIRECTION_COUNT] = {"none", "forward", "backward"};
    return words[value];
}

static const char *error_word_of(unsigned value)
{
    return error_word((ErrorWord)value);
}

static const char *kind_of(unsigned value)
{
    return divergence_word((DivergenceKind)value);
}

WORDS(side_of, SIDE_COUNT, [SIDE_GOLDEN] = "golden", [SIDE_TARGET] = "target")

static const char *why_of(unsigned value)
{
    return coverage_why((Absence)value);
}

static const char *what_of(unsigned value)
{
    return coverage_word((Absence)value);
}

// ---- a pair

static const Field stated[] = {
    FIELD(Stated, file, 0),
    FIELD_AS("level", Stated, values[STATED_LEVEL], 0),
    FIELD_AS("data_mode", Stated, values[STATED_DATA_MODE], 0),
    FIELD_AS("risk_level", Stated, values[STATED_RISK_LEVEL], 0),
    FIELD_AS("list", Stated, values[STATED_LIST], 0),
    FIELD_AS("scope", Stated, values[STATED_SCOPE], 0),
};
static const Fields stated_fields = FIELDS(Stated, stated);

static const Field side_golden[] = {
    FIELD_AS("slots", Coverage, slots[SIDE_GOLDEN], 0),
    FIELD_AS("told", Coverage, told[SIDE_GOLDEN], 0),
    FIELD_AS("tensors", Coverage, tensors[SIDE_GOLDEN], 0),
    CHOICE("content", Coverage, content[SIDE_GOLDEN], NULL, CONTENT_COUNT, SHARD_ONLY),
    FIELD_AS("ends_early", Coverage, ends_early[SIDE_GOLDEN], 0),
    FIELD_AS("breaks_off", Coverage, breaks_off[SIDE_GOLDEN], 0),
    FIELD_AS("rounded", Coverage, rounded[SIDE_GOLDEN], 0),
    RECORD("stated", Coverage, stated[SIDE_GOLDEN], &stated_fields, SHARD_ONLY),
    {.key = "stated_used",
     .kind = FIELD_BYTE,
     .rules = SHARD_ONLY,
     .at = offsetof(Coverage, stated_used[SIDE_GOLDEN]),
     .limit = 1 << STATED_COUNT},
};
static const Fields side_golden_fields = FIELDS(Coverage, side_golden);

static const Field side_target[] = {
    FIELD_AS("slots", Coverage, slots[SIDE_TARGET], 0),
    FIELD_AS("told", Coverage, told[SIDE_TARGET], 0),
    FIELD_AS("tensors", Coverage, tensors[SIDE_TARGET], 0),
    CHOICE("content", Coverage, content[SIDE_TARGET], NULL, CONTENT_COUNT, SHARD_ONLY),
    FIELD_AS("ends_early", Coverage, ends_early[SIDE_TARGET], 0),
    FIELD_AS("breaks_off", Coverage, breaks_off[SIDE_TARGET], 0),
    FIELD_AS("rounded", Coverage, rounded[SIDE_TARGET], 0),
    RECORD("stated", Coverage, stated[SIDE_TARGET], &stated_fields, SHARD_ONLY),
    {.key = "stated_used",
     .kind = FIELD_BYTE,
     .rules = SHARD_ONLY,
     .at = offsetof(Coverage, stated_used[SIDE_TARGET]),
     .limit = 1 << STATED_COUNT},
};
static const Fields side_target_fields = FIELDS(Coverage, side_target);

static const Field left_out[] = {
    CHOICE("side", LeftOut, side, side_of, SIDE_COUNT, 0),
    CHOICE("what", LeftOut, absence, what_of, ABSENCE_COUNT, 0),
    FIELD(LeftOut, name, NULL_ABSENT),
    FIELD_AS("ops", LeftOut, count, 0),
    CHOICE("rule", LeftOut, rule, rule_of, RULE_COUNT, NULL_ABSENT),
    CHOICE("why", LeftOut, absence, why_of, ABSENCE_COUNT, SUMMARY_ONLY),
};
static const Fields left_out_fields = FIELDS(LeftOut, left_out);

static const Field excused[] = {
    CHOICE("rule", Excused, rule, rule_of, REASON_COUNT, 0),
    FIELD(Excused, slots, 0),
    FIELD(Excused, op, 0),
    FIELD(Excused, slot, 0),
    FIELD(Excused, error, 0),
    FIELD(Excused, floor, 0),
    FIELD(Excused, given, 0),
};
static const Fields excused_fields = FIELDS(Excused, excused);

static const Field replaced[] = {
    FIELD(Replaced, golden, 0),
    FIELD(Replaced, target, 0),
    FIELD(Replaced, calls, 0),
};
static const Fields replaced_fields = FIELDS(Replaced, replaced);

static const Field coverage[] = {
    PART("golden", &side_golden_fields, FLAT),
    PART("target", &side_target_fields, FLAT),
    FIELD(Coverage, compared, IN_HISTORY),
    FIELD(Coverage, compared_tensors, 0),
    FIELD(Coverage, carried, 0),
    FIELD(Coverage, widened, 0),
    FIELD(Coverage, lost, IN_HISTORY),
    FIELD_AS("untold", Coverage, unrecorded, 0),
    FIELD(Coverage, ignored, 0),
    FIELD(Coverage, unmerged, 0),
    FIELD(Coverage, nan, 0),
    FIELD(Coverage, nan_alone, 0),
    FIELD(Coverage, nan_first, NULL_ABSENT),
    FIELD(Coverage, nan_is_inf, SHARD_ONLY),
    FIELD(Coverage, sums, SHARD_ONLY),
    FIELD(Coverage, moved, 0),
    LIST("not_recorded", Coverage, left_out, left_count, &left_out_fields, FLAT),
    LIST("excused", Coverage, excused, excused_count, &excused_fields, FLAT),
    LIST("replaced", Coverage, replaced, replaced_count, &replaced_fields, FLAT),
    FIELD(Coverage, replaced_alone, SHARD_ONLY),
};
static const Fields coverage_fields = FIELDS(Coverage, coverage);

static const Field first_divergence[] = {
    CHOICE("kind", FirstDivergence, kind, kind_of, DIVERGE_COUNT, 0),
    FIELD(FirstDivergence, target, NULL_ABSENT),
    FIELD(FirstDivergence, golden, NULL_ABSENT),
    FIELD(FirstDivergence, missing_in_target, SHARD_ONLY),
    FIELD(FirstDivergence, replaced, SHARD_ONLY),
    FIELD(FirstDivergence, module, NULL_ABSENT),
    FIELD(FirstDivergence, slot, NULL_ABSENT),
    CHOICE("metric", FirstDivergence, metric, metric_of, METRIC_COUNT, 0),
    CHOICE("reason", FirstDivergence, reason, rule_of, REASON_COUNT, 0),
    FIELD(FirstDivergence, value, 0),
    FIELD(FirstDivergence, worst_input, 0),
    FIELD(FirstDivergence, noise, 0),
    FIELD(FirstDivergence, tolerance, 0),
    FIELD(FirstDivergence, differing, NULL_ABSENT),
    FIELD(FirstDivergence, count, NULL_ABSENT),
    FIELD(FirstDivergence, element, NULL_ABSENT),
    FIELD(FirstDivergence, golden_element, 0),
    FIELD(FirstDivergence, target_element, 0),
    FIELD(FirstDivergence, target_value, NULL_ABSENT),
    FIELD(FirstDivergence, golden_value, NULL_ABSENT),
    FIELD(FirstDivergence, position, 0),
    FIELD(FirstDivergence, target_position, SHARD_ONLY),
    FIELD(FirstDivergence, some_inputs, SHARD_ONLY),
    FIELD(FirstDivergence, no_inputs, SHARD_ONLY),
    FIELD(FirstDivergence, unsure, SHARD_ONLY),
    FIELD(FirstDivergence, target_giver, SHARD_ONLY),
    FIELD(FirstDivergence, golden_giver, SHARD_ONLY),
    FIELD(FirstDivergence, left_out, SHARD_ONLY),
    FIELD(FirstDivergence, later, 0),
    FIELD(FirstDivergence, precheck, OMIT_ABSENT),
    FIELD(FirstDivergence, precheck_reason, OMIT_ABSENT),
    FIELD_AS("look_at", FirstDivergence, look, OMIT_ABSENT),
    TEXTS("observations", FirstDivergence, observations, observation_count, FACTS_OBSERVATIONS, 0),
    TEXTS("stack", FirstDivergence, frames, frame_count, FACTS_FRAMES, 0),
};
const Fields first_fields = FIELDS(FirstDivergence, first_divergence);

static const Field worst_op[] = {
    FIELD(WorstOp, target, NULL_ABSENT),
    FIELD(WorstOp, golden, NULL_ABSENT),
    CHOICE("status", WorstOp, status, status_of, STATUS_COUNT, 0),
    FIELD(WorstOp, inherited, 0),
    CHOICE("direction", WorstOp, direction, direction_of, DIRECTION_COUNT, SHARD_ONLY),
    FIELD(WorstOp, gradient, SHARD_ONLY),
    FIELD(WorstOp, error_in, AT_LEAST_0),
    FIELD(WorstOp, error_out, AT_LEAST_0),
    CHOICE("word_in", WorstOp, word_in, error_word_of, ERROR_WORD_COUNT, SHARD_ONLY),
    CHOICE("word_out", WorstOp, word_out, error_word_of, ERROR_WORD_COUNT, SHARD_ONLY),
};
const Fields worst_fields = FIELDS(WorstOp, worst_op);

static const Field read_fact[] = {
    FIELD(ReadFact, file, 0),
    FIELD(ReadFact, bytes, IN_HISTORY),
    FIELD(ReadFact, ops, IN_HISTORY),
    FIELD_AS("partial_at_byte", ReadFact, partial_at, NULL_ABSENT),
};
const Fields read_fields = FIELDS(ReadFact, read_fact);

static const Field precheck_fact[] = {
    FIELD(PrecheckFact, op, 0),
    CHOICE("precheck", PrecheckFact, precheck, status_of, STATUS_COUNT, 0),
    FIELD(PrecheckFact, reason, NULL_ABSENT),
    CHOICE("status", PrecheckFact, status, status_of, STATUS_COUNT, 0),
    FIELD(PrecheckFact, inherited, 0),
};
static const Fields precheck_fact_fields = FIELDS(PrecheckFact, precheck_fact);

static const Field precheck[] = {
    FIELD_AS("ops", PairFacts, prechecked, 0),
    LIST("failed", PairFacts, precheck, precheck_count, &precheck_fact_fields, FLAT),
};
static const Fields precheck_fields = FIELDS(PairFacts, precheck);

static const Field comm_call[] = {
    FIELD(CommCall, op, 0),
    FIELD(CommCall, channel, 0),
    FIELD(CommCall, peer, 0),
    BYTE(CommCall, role, COMM_ROLE_COUNT),
};
static const Fields call_fields = FIELDS(CommCall, comm_call);

// NOLINTBEGIN(bugprone-macro-parentheses): types and members
#define BY_STATUS(T, member)                                                                      \
    FIELD_AS("no data", T, member[STATUS_NO_DATA], 0),                                            \
        FIELD_AS("same", T, member[STATUS_SAME], 0), FIELD_AS("pass", T, member[STATUS_PASS], 0), \
        FIELD_AS("warning", T, member[STATUS_WARNING], 0),                                        \
        FIELD_AS("error", T, member[STATUS_ERROR], 0),                                            \
        FIELD_AS("unmatched", T, member[STATUS_UNMATCHED], 0)
// NOLINTEND(bugprone-macro-parentheses)

static const Field pair_counts[] = {
    FIELD(PairFacts, ops_golden, 0),
    FIELD(PairFacts, ops_target, 0),
    FIELD_AS("all_slots", PairFacts, slots, SHARD_ONLY),
    FIELD_AS("slots", PairFacts, compared, 0),
    FIELD_AS("same", PairFacts, slot_counts[STATUS_SAME], 0),
    FIELD_AS("pass", PairFacts, slot_counts[STATUS_PASS], 0),
    FIELD_AS("warning", PairFacts, slot_counts[STATUS_WARNING], 0),
    FIELD_AS("error", PairFacts, slot_counts[STATUS_ERROR], 0),
    FIELD_AS("no_data", PairFacts, slot_counts[STATUS_NO_DATA], 0),
    FIELD_AS("unmatched", PairFacts, slot_counts[STATUS_UNMATCHED], SHARD_ONLY),
    FIELD(PairFacts, unmatched_golden, 0),
    FIELD(PairFacts, unmatched_target, 0),
};
static const Fields pair_count_fields = FIELDS(PairFacts, pair_counts);

static const Field pair_ops[] = {BY_STATUS(PairFacts, op_counts)};
static const Fields pair_op_fields = FIELDS(PairFacts, pair_ops);

static const Field would_pass[] = {
    FIELD_AS("NormRelativeErr", PairFacts, would_pass_at[STAT_NORM], OMIT_ABSENT),
    FIELD_AS("MaxRelativeErr", PairFacts, would_pass_at[STAT_MAX], OMIT_ABSENT),
    FIELD_AS("MinRelativeErr", PairFacts, would_pass_at[STAT_MIN], OMIT_ABSENT),
    FIELD_AS("MeanRelativeErr", PairFacts, would_pass_at[STAT_MEAN], OMIT_ABSENT)};
static const Fields would_pass_fields = FIELDS(PairFacts, would_pass);

static const Field nearest[] = {
    FIELD_AS("op", PairFacts, nearest_op, 0),
    FIELD_AS("slot", PairFacts, nearest_slot, 0),
    FIELD_AS("share", PairFacts, nearest, 0),
};
static const Fields nearest_fields = FIELDS(PairFacts, nearest);

static const Field pair_place[] = {
    FIELD(PairFacts, step, 0),
    FIELD(PairFacts, stage, OMIT_ABSENT),
    FIELD(PairFacts, rank, 0),
    CHOICE("status", PairFacts, status, status_of, STATUS_COUNT, 0),
};
const Fields pair_place_fields = FIELDS(PairFacts, pair_place);

static const Field pair_facts[] = {
    PART("counts", &pair_count_fields, FLAT),
    PART("ops", &pair_op_fields, FLAT),
    RECORD("coverage", PairFacts, coverage, &coverage_fields, 0),
    RECORD("first_divergence", PairFacts, first, &first_fields, NULL_ABSENT),
    ROW("worst", PairFacts, worst, worst_count, &worst_fields, FLAT),
    PART("would_pass_at", &would_pass_fields, FLAT),
    PART("precheck", &precheck_fields, OMIT_ABSENT),
    ROW_OF_ALL("read", PairFacts, reads, &read_fields, FLAT | OMIT_ABSENT),
    FIELD(PairFacts, against, OMIT_ABSENT),
    FIELD(PairFacts, golden_missing, SHARD_ONLY),
    FIELD(PairFacts, target_missing, SHARD_ONLY),
    FIELD(PairFacts, failed, SHARD_ONLY),
    CHOICE("mode", PairFacts, mode, NULL, MODE_COUNT, SHARD_ONLY),
    FIELD(PairFacts, matched_ops, SHARD_ONLY),
    FIELD(PairFacts, largest_error, SHARD_ONLY),
    FIELD(PairFacts, noise_known, SHARD_ONLY),
    PART("nearest_to_tolerance", &nearest_fields, FLAT | OMIT_ABSENT),
    CHOICE("golden_framework", PairFacts, framework[0], NULL, FRAMEWORK_COUNT, SHARD_ONLY),
    CHOICE("target_framework", PairFacts, framework[1], NULL, FRAMEWORK_COUNT, SHARD_ONLY),
    FIELD_AS("golden_level", PairFacts, level[0], SHARD_ONLY),
    FIELD_AS("target_level", PairFacts, level[1], SHARD_ONLY),
    FIELD_AS("golden_task", PairFacts, task[0], SHARD_ONLY),
    FIELD_AS("target_task", PairFacts, task[1], SHARD_ONLY),
    FIELD_AS("golden_versions", PairFacts, versions[0], SHARD_ONLY),
    FIELD_AS("target_versions", PairFacts, versions[1], SHARD_ONLY),
    FIELD_AS("golden_dtypes", PairFacts, dtypes[0], SHARD_ONLY),
    FIELD_AS("target_dtypes", PairFacts, dtypes[1], SHARD_ONLY),
    LIST("calls", PairFacts, calls, call_count, &call_fields, SHARD_ONLY),
    FIELD(PairFacts, first_unequal, SHARD_ONLY),
    FIELD(PairFacts, equal_before, SHARD_ONLY),
    FIELD(PairFacts, profile, SHARD_ONLY),
    FIELD(PairFacts, criteria_fit, SHARD_ONLY),
    FIELD(PairFacts, mapping_given, SHARD_ONLY),
    FIELD(PairFacts, mapping_fit, SHARD_ONLY),
};
const Fields pair_fields = FIELDS(PairFacts, pair_facts);

static const Field pair_whole[] = {
    PART("place", &pair_place_fields, 0),
    PART("facts", &pair_fields, 0),
};
const Fields pair_whole_fields = FIELDS(PairFacts, pair_whole);

// ---- what goes along with it

static const Field notice[] = {
    CHOICE("level", Notice, level, level_of, NOTICE_LEVEL_COUNT, 0),
    FIELD(Notice, file, 0),
    FIELD(Notice, line, NULL_ABSENT),
    FIELD(Notice, byte, NULL_ABSENT),
    FIELD(Notice, text, 0),
    FIELD(Notice, count, 0),
    FIELD(Notice, partial, SHARD_ONLY),
};
const Fields notice_fields = FIELDS(Notice, notice);

#define ASIDE(name, why) FIELD_AS(name, Account, set_aside[why], OMIT_ABSENT)
static const Field set_aside[ASIDE_COUNT] = {
    [ASIDE_DESCRIPTION] = ASIDE("description", ASIDE_DESCRIPTION),
    [ASIDE_TEXT] = ASIDE("text", ASIDE_TEXT),
    [ASIDE_REPEATED] = ASIDE("repeated", ASIDE_REPEATED),
    [ASIDE_JOINED] = ASIDE("joined", ASIDE_JOINED),
    [ASIDE_NOISE] = ASIDE("noise", ASIDE_NOISE),
    [ASIDE_NOT_ASKED] = ASIDE("not_asked", ASIDE_NOT_ASKED),
    [ASIDE_IGNORED] = ASIDE("ignored", ASIDE_IGNORED),
    [ASIDE_NOT_RECORDED] = ASIDE("not_recorded", ASIDE_NOT_RECORDED),
    [ASIDE_NO_EFFECT] = ASIDE("no_effect", ASIDE_NO_EFFECT),
    [ASIDE_NO_VALUE] = ASIDE("no_value", ASIDE_NO_VALUE),
    [ASIDE_NONFINITE] = ASIDE("nan", ASIDE_NONFINITE),
    [ASIDE_LOST] = ASIDE("lost", ASIDE_LOST),
};
static const Fields set_aside_fields = FIELDS(Account, set_aside);

static const Field account[] = {
    FIELD(Account, seen, 0),
    FIELD(Account, compared, 0),
    PART("set_aside", &set_aside_fields, FLAT),
    FIELD(Account, not_understood, 0),
};
const Fields account_fields = FIELDS(Account, account);

static const Field junit_counts[] = {BY_STATUS(JunitCase, counts)};
static const Fields junit_count_fields = FIELDS(JunitCase, junit_counts);

static const Field junit_case[] = {
    FIELD(JunitCase, name, 0),
    FIELD(JunitCase, class_name, 0),
    PART("counts", &junit_count_fields, 0),
    FIELD(JunitCase, op, 0),
    CHOICE("status", JunitCase, status, status_of, STATUS_COUNT, 0),
    FIELD(JunitCase, inherited, 0),
    FIELD(JunitCase, error_in, 0),
    FIELD(JunitCase, error_out, 0),
};
const Fields junit_case_fields = FIELDS(JunitCase, junit_case);

static const Field layer[] = {
    FIELD(LayerFact, name, 0),
    CHOICE("status", LayerFact, status, status_of, STATUS_COUNT, 0),
    FIELD(LayerFact, starts, 0),
    FIELD(LayerFact, forward, IN_HISTORY),
    FIELD(LayerFact, backward, IN_HISTORY),
    FIELD(LayerFact, parameters, IN_HISTORY),
    FIELD(LayerFact, position, 0),
    FIELD(LayerFact, leaves, 0),
    FIELD(LayerFact, op, 0),
};
const Fields layer_fields = FIELDS(LayerFact, layer);

static const Field pair_file[] = {FIELD(PairFile, format, 0), FIELD(PairFile, file, 0)};
const Fields pair_file_fields = FIELDS(PairFile, pair_file);

// ---- criteria

static const Field limit[] = {
    FIELD(CriteriaLimit, set, SHARD_ONLY),
    FIELD(CriteriaLimit, pass, 0),
    FIELD(CriteriaLimit, warning, 0),
    FIELD(CriteriaLimit, absolute, SHARD_ONLY),
};
static const Fields limit_fields = FIELDS(CriteriaLimit, limit);

#define LIMIT(name, metric) RECORD(name, CriteriaRule, limits[metric], &limit_fields, OMIT_ABSENT)
static const Field limits[CRITERIA_METRICS] = {
    [CRITERIA_NORM] = LIMIT("norm", CRITERIA_NORM),
    [CRITERIA_MAX] = LIMIT("max", CRITERIA_MAX),
    [CRITERIA_MIN] = LIMIT("min", CRITERIA_MIN),
    [CRITERIA_MEAN] = LIMIT("mean", CRITERIA_MEAN),
    [CRITERIA_VALUE] = LIMIT("value", CRITERIA_VALUE),
    [CRITERIA_ELEMENTS] = LIMIT("elements", CRITERIA_ELEMENTS),
};
static const Fields limits_fields = FIELDS(CriteriaRule, limits);

static const Field criteria_rule[] = {
    FIELD(CriteriaRule, ops, 0),    FIELD(CriteriaRule, slots, 0),
    FIELD(CriteriaRule, dtypes, 0), FIELD(CriteriaRule, sets_ignore, SHARD_ONLY),
    FIELD(CriteriaRule, ignore, 0), PART("limits", &limits_fields, 0),
    FIELD(CriteriaRule, reason, 0), FIELD(CriteriaRule, line, SHARD_ONLY),
};
const Fields rule_fields = FIELDS(CriteriaRule, criteria_rule);

static const Field criteria[] = {
    FIELD(Criteria, path, 0),
    LIST("rules", Criteria, items, count, &rule_fields, FLAT),
};
const Fields criteria_fields = FIELDS(Criteria, criteria);

// ---- mappings

static const Field name_pair[] = {FIELD(NamePair, target, 0), FIELD(NamePair, golden, 0)};
const Fields name_pair_fields = FIELDS(NamePair, name_pair);

static const Field name_mapping[] = {
    LIST("pairs", NameMapping, items, count, &name_pair_fields, 0)};
const Fields name_mapping_fields = FIELDS(NameMapping, name_mapping);

static const Field layer_rule[] = {
    FIELD(LayerRule, layer, 0),
    LIST("children", LayerRule, items, count, &name_pair_fields, 0),
};
const Fields layer_rule_fields = FIELDS(LayerRule, layer_rule);

static const Field layer_mapping[] = {
    LIST("layers", LayerMapping, items, count, &layer_rule_fields, 0)};
const Fields layer_mapping_fields = FIELDS(LayerMapping, layer_mapping);
