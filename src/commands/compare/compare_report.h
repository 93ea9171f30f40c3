// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_REPORT_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_REPORT_H

#include "commands/machinery/history_log.h"
#include "export/ci/junit.h"
#include "export/history/compare_history.h"
#include "report/compare/compare_page.h"
#include "verdict/verdict_text.h"

// The outputs of a comparison that speak of all its pairs, from facts alone: whether the pairs were
// compared here or in shards makes no difference to a byte.

typedef struct CompareResults {
    CompareSummary summary;
    const JunitCases *cases;  // one for each pair, if JUnit is wanted
    size_t main;              // the pair of the pictures, SIZE_MAX: none was compared
    const PageParts *parts;   // of that pair, NULL: none
    PageFigure picture;       // its main picture with the verdict on top; scene NULL: none
    Str title, command;       // of the reports
    Str root;                 // of the model's sources, as --source-root says it
} CompareResults;

#define SOURCE_ROOT_OPTION                                                                     \
    {                                                                                          \
        "source-root", 0, OPTION_TEXT, "DIR",                                                  \
            TR("folder of the model's sources in the run: sarif, codequality and github name " \
               "files relative to it"),                                                        \
            OPTION_OF_DUMPS | OPTION_WORDS                                                     \
    }

// The pair that the pictures show: that of the first divergence, else the first that was compared.
size_t compare_report_main(const PairFacts *pairs, size_t count);

void compare_report_verdict(CompareSummary *summary, Arena *arena, Verdict *out);

// Adds the night to the file of --history, before anything is made that tells of it. `layers` holds
// one list a pair.
void compare_report_keep(CompareSummary *summary, const LayerFacts *layers, const Options *options,
                         Product *product);

// summary.json, junit.xml, the matrix, the workbook of all pairs, page and ticket; the verdict and
// what the pairs' statuses make of it. `report` outlives the product.
void compare_report_add(CompareResults *report, Product *product);

// What compare_report_add adds but the files: the part of a run that is merged later.
void compare_report_judge(const CompareSummary *summary, Product *product);

#endif
