// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_SCENE_H
#define VERNIER_SCENE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "scene/role.h"

// A picture, free of any format: boxes, lines, paths, texts and groups in user units (px at scale
// 1, origin top left, y downwards), painted in order. Items carry roles, never colours.

typedef struct Paint {
    Role fill, stroke;  // ROLE_NONE: not painted
    float width;        // of the stroke; 0 means 1
    float dash, gap;    // 0: solid
    float opacity;      // of fill and stroke; 0 means 1
    bool round;         // round ends of the stroke: a step of no length is a disc
} Paint;

typedef enum ItemKind {
    ITEM_BOX,
    ITEM_LINE,
    ITEM_PATH,
    ITEM_TEXT,
    ITEM_GROUP,
    ITEM_GROUP_END,
} ItemKind;
enum { ITEM_KIND_COUNT = ITEM_GROUP_END + 1 };

typedef struct BoxShape {
    double x, y, width, height;
    double radius;  // corner; half the width of a square makes a circle
    bool hatch;     // 45 degree lines of ROLE_HATCHLINE over the fill
} BoxShape;

typedef struct LineShape {
    double x1, y1, x2, y2;
} LineShape;

typedef enum PathVerb { PATH_MOVE, PATH_LINE, PATH_CURVE, PATH_CLOSE } PathVerb;
enum { PATH_VERB_COUNT = PATH_CLOSE + 1 };
typedef struct PathStep {
    PathVerb verb;
    double x, y;            // end point
    double x1, y1, x2, y2;  // control points of PATH_CURVE
} PathStep;
typedef struct PathShape {
    const PathStep *steps;
    size_t count;
} PathShape;

// A path that grows in an arena.
typedef struct PathSteps {
    PathStep *items;
    size_t count, capacity;
} PathSteps;
void steps_add(PathSteps *steps, Arena *arena, PathVerb verb, double x, double y);
void steps_line(PathSteps *steps, Arena *arena, double x1, double y1, double x2, double y2);
void steps_box(PathSteps *steps, Arena *arena, double x, double y, double width, double height);

typedef enum Anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END, ANCHOR_COUNT } Anchor;

// A run of equal style in one line of text. What follows another word on a line is a span of the
// same text, so that no font can make them collide.
typedef struct Span {
    Str text;
    Role role;    // ROLE_NONE: that of the text
    float size;   // 0: that of the text
    int weight;   // 400, 600, 700; 0: that of the text
    float dx;     // extra space before it, px
    float raise;  // exponents: em of the text above its base line
    bool mono;
} Span;

typedef struct TextShape {
    double x, y;  // base line
    float size;
    int weight;  // 400, 600, 700
    Anchor anchor;
    bool mono;
    bool vertical;  // turned by -90 degrees around (x, y)
    const Span *spans;
    size_t count;
} TextShape;

typedef struct GroupShape {
    Str id;    // unique in the scene, or empty
    Str link;  // "#anchor" inside the page, the name of a file next to the picture, or empty
} GroupShape;

typedef struct Item {
    ItemKind kind;
    Paint paint;  // a text is painted with paint.fill
    Str title;    // tooltip: the full name and numbers; may be empty
    union {
        BoxShape box;
        LineShape line;
        PathShape path;
        TextShape text;
        GroupShape group;
    } as;
} Item;

typedef struct Scene {
    Arena *arena;
    Str id;           // prefix of ids inside the picture: letters, digits, '-'
    Str title;        // the verdict sentence
    Str description;  // both sides, mode
    Str caption;      // what kind of picture it is and how it is read, below it on a page
    double width, height;
    Item *items;
    size_t count, capacity;
    struct Scene *next;  // the following page of a picture in pages, or NULL
} Scene;

void scene_init(Scene *scene, Arena *arena, const char *id, double width);

// Each returns the item, to set a title or further fields; valid until the next item is added.
Item *scene_box(Scene *scene, double x, double y, double width, double height, Role fill,
                Role stroke);
Item *scene_circle(Scene *scene, double cx, double cy, double radius, Role fill, Role stroke);
Item *scene_line(Scene *scene, double x1, double y1, double x2, double y2, Role stroke);
Item *scene_path(Scene *scene, const PathStep *steps, size_t count, Role fill, Role stroke);
// `xy` holds x and y of each corner in turn.
Item *scene_polygon(Scene *scene, const double *xy, size_t count, Role fill, Role stroke);

// One line of text in one style; `text` is copied.
Item *scene_text(Scene *scene, double x, double y, float size, int weight, Anchor anchor, Role role,
                 Str text);
// One line of several spans; spans and their texts are copied.
Item *scene_spans(Scene *scene, double x, double y, float size, Anchor anchor, Role role,
                  const Span *spans, size_t count);
void scene_group(Scene *scene, Str id, Str title, Str link);
void scene_group_end(Scene *scene);

// Titles are copied into the arena of the scene.
void scene_title(Scene *scene, Item *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Appends the items of `part`, moved by (dx, dy). Texts are shared, so `part` must live as long.
void scene_append(Scene *scene, const Scene *part, double dx, double dy);

// The same with all lengths times `factor`.
void scene_append_scaled(Scene *scene, const Scene *part, double dx, double dy, double factor);

// A copy of the one page that shares nothing with `from`, in `arena`.
Scene *scene_copy(const Scene *from, Arena *arena);

#endif
