// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_PRODUCT_H
#define VERNIER_COMMANDS_MACHINERY_PRODUCT_H

#include "commands/machinery/console.h"
#include "commands/machinery/outputs.h"
#include "export/ci/ci_report.h"

// What a command has computed: verdict, facts, pictures, tables, pages. product_write alone knows
// which file gets which format, what is printed and which exit code follows; `study` takes a
// product as it is and writes nothing of it.

typedef enum ProductStatus {
    PRODUCT_AGREES,
    PRODUCT_DIFFERS,
    PRODUCT_NOTHING  // nothing could be compared
} ProductStatus;

typedef bool ProductWriter(void *context, Sink *out, Error *err);

typedef enum ProductPartKind {
    PART_PICTURE,
    PART_BOOK,    // tables as the sheets of one workbook
    PART_SHEET,   // a table as a file of its own
    PART_PAGE,    // the report, for formats that hold all of it
    PART_TICKET,  // the report as text
    PART_FILE,    // in a format of the command's own
    PART_EMIT     // anything else
} ProductPartKind;

// `file` is the base name, without the suffix of the format; of PART_FILE the name.
typedef struct ProductPart {
    ProductPartKind kind;
    bool main;  // the one of its kind that an output of one file gets
    const char *file;
    const Scene *scene;
    const Report *report;
    Table *const *tables;
    size_t table_count;
    const char *format;
    ProductWriter *write;
    void (*emit)(void *context, Outputs *outputs);
    void *context;
} ProductPart;

typedef struct Product {
    Arena *arena;
    Outputs *outputs;  // what is wanted; planned by the command
    Notices *notices;
    Error *err;  // why there is no product
    Verdict verdict;
    ProductStatus status;
    Table *tree;  // shown under the verdict on a terminal (report/kit/tree_text.h), or NULL
    ReadTotals read;
    bool tells_read;      // the line of what was read is printed
    bool night_lost;      // --history could not be written
    bool fills_standard;  // `write_beside` writes to standard output
    struct ProductParts {
        ProductPart *items;  // in the order in which they are written
        size_t count, capacity;
    } parts;
    void (*write_facts)(const void *facts, Sink *out);  // summary.json
    const void *facts;  // the struct that `write_facts` writes, for others to read
    // Findings and measures for CI systems; without findings the verdict is the finding.
    CiOutcome ci;
    // What is written next to the outputs, after them; or NULL.
    bool (*write_beside)(void *job, Notices *notices, Error *err);
    void (*release)(void *job);  // what the parts point to and no arena holds; or NULL
    void *job;                   // of these two
} Product;

void product_picture(Product *product, Str file, bool main, const Scene *scene);
// A picture that stands on a page as it is, as a file of its own: under the verdict.
void product_figure(Product *product, Str file, bool main, Scene *scene, const Verdict *verdict);
// Copies the list, not the tables.
void product_book(Product *product, Str file, bool main, Table *const *tables, size_t count);
void product_sheet(Product *product, Str file, bool main, Table *table);
// `printed`: base name of the page as PDF, or NULL: not printed.
void product_page(Product *product, const Report *page, const char *printed);
void product_ticket(Product *product, const Report *ticket, const char *file);
void product_file(Product *product, const char *format, Str file, bool main, ProductWriter *write,
                  void *context);
void product_emit(Product *product, void (*emit)(void *context, Outputs *outputs), void *context);
// A part of them is summary.json.
void product_facts(Product *product, void (*write)(const void *facts, Sink *out),
                   const void *facts);
// Adds copies of the pictures and of the main workbook; `from` may go afterwards. Tables are cut at
// PRODUCT_ROWS_MAX rows, and say so.
enum { PRODUCT_ROWS_MAX = 5000 };
void product_copy(const Product *from, Product *to);

// Writes the parts alone; on as many threads as outputs->render.jobs says, the same bytes for any.
void product_write_parts(const Product *product, Outputs *outputs);

// Writes and prints all; gives the exit code.
int product_write(Product *product, const Console *console, bool exit_zero);

// The exit code apart from outputs that fail.
int product_exit(const Product *product, bool exit_zero);

// What the parts point to outside of arenas; to be called again does nothing.
void product_release(Product *product);

#endif
