// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.h"

#include <stdarg.h>

#include "base/array.h"

void scene_init(Scene *scene, Arena *arena, const char *id, double width)
{
    *scene = (Scene){.arena = arena, .id = str_of(id), .width = width};
}

void steps_add(PathSteps *steps, Arena *arena, PathVerb verb, double x, double y)
{
    *ARRAY_PUSH(arena, steps) = (PathStep){.verb = verb, .x = x, .y = y};
}

void steps_line(PathSteps *steps, Arena *arena, double x1, double y1, double x2, double y2)
{
    steps_add(steps, arena, PATH_MOVE, x1, y1);
    steps_add(steps, arena, PATH_LINE, x2, y2);
}

void steps_box(PathSteps *steps, Arena *arena, double x, double y, double width, double height)
{
    steps_line(steps, arena, x, y, x + width, y);
    steps_add(steps, arena, PATH_LINE, x + width, y + height);
    steps_add(steps, arena, PATH_LINE, x, y + height);
    steps_add(steps, arena, PATH_CLOSE, x, y);
}

static Item *push(Scene *scene, ItemKind kind, Paint paint)
{
    Item *item = ARRAY_PUSH(scene->arena, scene);
    item->kind = kind;
    item->paint = paint;
    return item;
}

Item *scene_box(Scene *scene, double x, double y, double width, double height, Role fill,
                Role stroke)
{
    Item *item = push(scene, ITEM_BOX, (Paint){.fill = fill, .stroke = stroke});
    item->as.box = (BoxShape){.x = x, .y = y, .width = width, .height = height};
    return item;
}

Item *scene_circle(Scene *scene, double cx, double cy, double radius, Role fill, Role stroke)
{
    Item *item = scene_box(scene, cx - radius, cy - radius, 2 * radius, 2 * radius, fill, stroke);
    item->as.box.radius = radius;
    return item;
}

Item *scene_line(Scene *scene, double x1, double y1, double x2, double y2, Role stroke)
{
    Item *item = push(scene, ITEM_LINE, (Paint){.stroke = stroke});
    item->as.line = (LineShape){x1, y1, x2, y2};
    return item;
}

Item *scene_path(Scene *scene, const PathStep *steps, size_t count, Role fill, Role stroke)
{
    PathStep *copy = ARENA_ARRAY(scene->arena, PathStep, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = steps[i];
    Item *item = push(scene, ITEM_PATH, (Paint){.fill = fill, .stroke = stroke});
    item->as.path = (PathShape){copy, count};
    return item;
}

Item *scene_polygon(Scene *scene, const double *xy, size_t count, Role fill, Role stroke)
{
    PathStep *steps = ARENA_ARRAY(scene->arena, PathStep, count + 1);
    for (size_t i = 0; i < count; i++)
        steps[i] =
            (PathStep){.verb = i ? PATH_LINE : PATH_MOVE, .x = xy[2 * i], .y = xy[2 * i + 1]};
    steps[count] = (PathStep){.verb = PATH_CLOSE};
    Item *item = push(scene, ITEM_PATH, (Paint){.fill = fill, .stroke = stroke});
    item->as.path = (PathShape){steps, count + 1};
    return item;
}

Item *scene_text(Scene *scene, double x, double y, float size, int weight, Anchor anchor, Role role,
                 Str text)
{
    Span span = {.text = text};
    Item *item = scene_spans(scene, x, y, size, anchor, role, &span, 1);
    item->as.text.weight = weight;
    return item;
}

Item *scene_spans(Scene *scene, double x, double y, float size, Anchor anchor, Role role,
                  const Span *spans, size_t count)
{
    Span *copy = ARENA_ARRAY(scene->arena, Span, count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = spans[i];
        copy[i].text = str_copy(scene->arena, spans[i].text);
    }
    Item *item = push(scene, ITEM_TEXT, (Paint){.fill = role});
    item->as.text = (TextShape){.x = x,
                                .y = y,
                                .size = size,
                                .weight = 400,
                                .anchor = anchor,
                                .spans = copy,
                                .count = count};
    return item;
}

void scene_group(Scene *scene, Str id, Str title, Str link)
{
    Item *item = push(scene, ITEM_GROUP, (Paint){0});
    item->as.group = (GroupShape){str_copy(scene->arena, id), str_copy(scene->arena, link)};
    item->title = str_copy(scene->arena, title);
}

void scene_group_end(Scene *scene)
{
    push(scene, ITEM_GROUP_END, (Paint){0});
}

void scene_title(Scene *scene, Item *item, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    item->title = str_vprintf(scene->arena, format, args);
    va_end(args);
}

static void move_path(Scene *scene, PathShape *path, double dx, double dy)
{
    PathStep *moved = ARENA_ARRAY(scene->arena, PathStep, path->count);
    for (size_t i = 0; i < path->count; i++) {
        PathStep step = path->steps[i];
        moved[i] = (PathStep){step.verb,    step.x + dx,  step.y + dy, step.x1 + dx,
                              step.y1 + dy, step.x2 + dx, step.y2 + dy};
    }
    path->steps = moved;
}

void scene_append(Scene *scene, const Scene *part, double dx, double dy)
{
    for (size_t i = 0; i < part->count; i++) {
        Item *item = ARRAY_PUSH(scene->arena, scene);
        *item = part->items[i];
        switch (item->kind) {
        case ITEM_BOX:
            item->as.box.x += dx;
            item->as.box.y += dy;
            break;
        case ITEM_LINE:
            item->as.line.x1 += dx;
            item->as.line.y1 += dy;
            item->as.line.x2 += dx;
            item->as.line.y2 += dy;
            break;
        case ITEM_PATH:
            move_path(scene, &item->as.path, dx, dy);
            break;
        case ITEM_TEXT:
            item->as.text.x += dx;
            item->as.text.y += dy;
            break;
        case ITEM_GROUP:
        case ITEM_GROUP_END:
            break;
        }
    }
}

static void scale_path(Scene *scene, PathShape *path, double factor)
{
    PathStep *steps = ARENA_ARRAY(scene->arena, PathStep, path->count);
    for (size_t i = 0; i < path->count; i++) {
        PathStep at = path->steps[i];
        steps[i] = (PathStep){.verb = at.verb,
                              .x = at.x * factor,
                              .y = at.y * factor,
                              .x1 = at.x1 * factor,
                              .y1 = at.y1 * factor,
                              .x2 = at.x2 * factor,
                              .y2 = at.y2 * factor};
    }
    path->steps = steps;
}

static void scale_text(Scene *scene, TextShape *text, double factor)
{
    Span *spans = ARENA_ARRAY(scene->arena, Span, text->count);
    for (size_t i = 0; i < text->count; i++) {
        spans[i] = text->spans[i];
        spans[i].size *= (float)factor;
        spans[i].dx *= (float)factor;
    }
    text->spans = spans;
    text->size *= (float)factor;
    text->x *= factor;
    text->y *= factor;
}

static void scale_item(Scene *scene, Item *item, double factor)
{
    Paint *paint = &item->paint;
    paint->width = (paint->width > 0 ? paint->width : 1) * (float)factor;
    paint->dash *= (float)factor;
    paint->gap *= (float)factor;
    switch (item->kind) {
    case ITEM_BOX:
        item->as.box.x *= factor;
        item->as.box.y *= factor;
        item->as.box.width *= factor;
        item->as.box.height *= factor;
        item->as.box.radius *= factor;
        break;
    case ITEM_LINE:
        item->as.line.x1 *= factor;
        item->as.line.y1 *= factor;
        item->as.line.x2 *= factor;
        item->as.line.y2 *= factor;
        break;
    case ITEM_PATH:
        scale_path(scene, &item->as.path, factor);
        break;
    case ITEM_TEXT:
        scale_text(scene, &item->as.text, factor);
        break;
    case ITEM_GROUP:
    case ITEM_GROUP_END:
        break;
    }
}

void scene_append_scaled(Scene *scene, const Scene *part, double dx, double dy, double factor)
{
    Scene scaled = *part;
    scaled.items = ARENA_ARRAY(scene->arena, Item, part->count);
    for (size_t i = 0; i < part->count; i++) {
        scaled.items[i] = part->items[i];
        scale_item(scene, &scaled.items[i], factor);
    }
    scene_append(scene, &scaled, dx, dy);
}

static void copy_text(TextShape *text, Arena *arena)
{
    Span *spans = ARENA_ARRAY(arena, Span, text->count);
    for (size_t i = 0; i < text->count; i++) {
        spans[i] = text->spans[i];
        spans[i].text = str_copy(arena, text->spans[i].text);
    }
    text->spans = spans;
}

static void copy_path(PathShape *path, Arena *arena)
{
    PathStep *steps = ARENA_ARRAY(arena, PathStep, path->count);
    for (size_t i = 0; i < path->count; i++)
        steps[i] = path->steps[i];
    path->steps = steps;
}

Scene *scene_copy(const Scene *from, Arena *arena)
{
    Scene *copy = ARENA_NEW(arena, Scene);
    *copy = *from;
    copy->arena = arena;
    copy->next = NULL;
    copy->id = str_copy(arena, from->id);
    copy->title = str_copy(arena, from->title);
    copy->description = str_copy(arena, from->description);
    copy->caption = str_copy(arena, from->caption);
    copy->items = ARENA_ARRAY(arena, Item, from->count);
    copy->capacity = from->count;
    for (size_t i = 0; i < from->count; i++) {
        Item *item = &copy->items[i];
        *item = from->items[i];
        item->title = str_copy(arena, item->title);
        if (item->kind == ITEM_TEXT)
            copy_text(&item->as.text, arena);
        if (item->kind == ITEM_PATH)
            copy_path(&item->as.path, arena);
        if (item->kind == ITEM_GROUP) {
            item->as.group.id = str_copy(arena, item->as.group.id);
            item->as.group.link = str_copy(arena, item->as.group.link);
        }
    }
    return copy;
}
