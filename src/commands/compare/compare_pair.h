// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_COMPARE_COMPARE_PAIR_H
#define VERNIER_COMMANDS_COMPARE_COMPARE_PAIR_H

#include "commands/compare/pair_work.h"

// One pair from its files to its outputs.

// Reads, compares and writes the files of the pair. Safe to run for different pairs at once.
void compare_pair_run(const PlacePair *place, const ComparePairOptions *options, PairResult *out);
// The pair once more, from the graphs that are kept or else its files; NULL: they are gone. What
// reading them again tells is noted.
const PairGraphs *compare_pair_again(const PlacePair *place, const ComparePairOptions *options,
                                     Arena *arena, PairResult *result);
// Writes the files of a pair that stands for others. Safe to run for different pairs at once.
void compare_pair_show(const PlacePair *place, const ComparePairOptions *options, PairResult *out);
// Lists the files of the pair in the folder, by format: pictures, then tables; once,
// when it is known whether it is shown.
void compare_pair_list(const PlacePair *place, const ComparePairOptions *options, PairResult *out);
void compare_pair_drop(PairResult *result);  // its graphs, if they were kept
void compare_pair_release(PairResult *result);

// The pictures of a pair, with the base names of their files. A scene that is NULL: there is none.
typedef struct PairPicture {
    Scene *scene;
    Str file;
} PairPicture;

typedef struct PairPictures {
    PairPicture graph, card, profile;
    bool card_first;  // the card is the main picture, for outputs that are one file
} PairPictures;
// The workbook that is written of the pair, whose facts and verdict `result` holds, or empty.
Str compare_pair_book(const ComparePairOptions *options, const PairResult *result, Arena *arena);
// `book`: the workbook that the picture names, or empty.
void compare_pair_draw(const Comparison *comparison, const ComparePairOptions *options, Str book,
                       Arena *arena, PairPictures *out, Notices *notices);
// What a page shows of the pair, with these pictures; whether it has a workbook and is one of
// several.
MainPair compare_pair_page(const Comparison *comparison, const PairFacts *facts,
                           const PairPictures *pictures, bool book, bool several);
// The pictures under the verdict.
PairPictures compare_pair_with_verdict(const PairPictures *pictures, const Comparison *comparison,
                                       const Verdict *verdict, Arena *arena);

#endif
