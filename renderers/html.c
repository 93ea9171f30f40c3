// SPDX-License-Identifier: Apache-2.0
#include "renderers/html.h"

#include "base/words.h"
#include "renderers/html_blocks.h"
#include "renderers/html_script.h"
#include "renderers/svg.h"
#include "renderers/template.h"

// The names of the templates and what they stand for: one source serves page.html and page.css.

typedef struct Source {
    const Report *report;  // NULL for a style sheet alone
    const RenderOptions *options;
    Arena *arena;
    Str labels;  // of the tools
    HtmlScript script;
    size_t block;  // item of "sections"
    Role role;     // item of "roles"
    bool failed;   // writing the style inside the page
    Error *err;
} Source;

typedef struct Value {
    const char *name;
    void (*write)(Source *source, Markup *out);
} Value;

static bool write_style(Source *source, Markup *out);

static void write_lang(Source *source, Markup *out)
{
    (void)source;
    markup_raw(out, words_lang() == LANG_ZH ? "zh-CN" : "en");
}

// One script, nothing from elsewhere; a linked page has no script and forbids inline styles as
// well.
static void write_policy(Source *source, Markup *out)
{
    if (source->options->page_linked) {
        markup_raw(out, "default-src 'none'; style-src 'self'; img-src 'self'");
        return;
    }
    markup_raw(out, "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                    "script-src 'sha256-");
    markup_raw(out, source->script.sha256);
    markup_raw(out, "'");
}

static void write_code(Source *source, Markup *out)
{
    markup_str(out, source->script.text);
}

static void write_title(Source *source, Markup *out)
{
    markup_text(out, source->report->title);
}

static void write_css(Source *source, Markup *out)
{
    source->failed = !write_style(source, out);
}

static void write_skip(Source *source, Markup *out)
{
    (void)source;
    markup_text(out, str_of(tr("Skip to the verdict")));
}

static void write_section_id(Source *source, Markup *out)
{
    html_write_id(out, source->report->items[source->block].id);
}

static void write_section_title(Source *source, Markup *out)
{
    markup_text(out, source->report->items[source->block].text);
}

static void write_body(Source *source, Markup *out)
{
    html_write_blocks(out, source->report, source->options);
}

static void write_color_scheme(Source *source, Markup *out)
{
    static const char *const schemes[] = {"light", "dark", "light dark"};
    markup_raw(out, schemes[source->options->mode]);
}

static void write_role(Source *source, Markup *out)
{
    for (const char *at = role_name(source->role); *at; at++)
        markup_char(out, *at == '.' ? '-' : *at);
}

static void write_role_colour(Source *source, Markup *out)
{
    char hex[8];
    bool dark = source->options->mode == THEME_DARK;
    markup_raw(out, theme_hex(source->options->theme, source->role, dark, hex));
}

static void write_dark_colour(Source *source, Markup *out)
{
    char hex[8];
    markup_raw(out, theme_hex(source->options->theme, source->role, true, hex));
}

static void write_picture_rules(Source *source, Markup *out)
{
    svg_write_dark_rules(out, source->options->theme);
}

static void write_sans(Source *source, Markup *out)
{
    svg_write_families(out, source->options->theme->sans);
}

static void write_mono(Source *source, Markup *out)
{
    svg_write_families(out, source->options->theme->mono);
}

static const Value page_values[] = {
    {"lang", write_lang},
    {"policy", write_policy},
    {"title", write_title},
    {"style", write_css},
    {"skip_to_verdict", write_skip},
    {"section_id", write_section_id},
    {"section_title", write_section_title},
    {"blocks", write_body},
    {"code", write_code},
    {NULL, NULL},
};

// Labels of the tools, which the script shows: rows of templates/page.labels.
static bool write_label(const Source *source, Str name, Markup *out)
{
    Str rest = source->labels, line;
    while (str_split(&rest, '\n', &line)) {
        size_t blank = str_find_char(line, ' ', 0);
        if (!str_equal(str_slice(line, 0, blank), name))
            continue;
        const char *text = str_cstr(source->arena, str_trim(str_slice(line, blank, line.size)));
        markup_text(out, str_of(tr(text)));
        return true;
    }
    return false;
}

static const Value style_values[] = {
    {"color_scheme", write_color_scheme},
    {"role", write_role},
    {"colour", write_role_colour},
    {"dark_colour", write_dark_colour},
    {"picture_rules", write_picture_rules},
    {"sans", write_sans},
    {"mono", write_mono},
    {NULL, NULL},
};

static bool write_one(const Value *values, Source *source, Str name, Markup *out)
{
    for (; values->name; values++)
        if (str_equal(name, str_of(values->name))) {
            values->write(source, out);
            return true;
        }
    return false;
}

static bool page_value(void *state, Str name, Markup *out)
{
    return write_one(page_values, state, name, out) || write_label(state, name, out);
}

static bool style_value(void *state, Str name, Markup *out)
{
    return write_one(style_values, state, name, out);
}

// The headings of level 2 that have an anchor.
static bool next_section(Source *source, size_t index)
{
    size_t at = index ? source->block + 1 : 0;
    for (; at < source->report->count; at++) {
        const Block *block = &source->report->items[at];
        if (block->kind == BLOCK_HEADING && block->level == 2 && block->id.size)
            break;
    }
    source->block = at;
    return at < source->report->count;
}

// What the script draws, and the lines from which it does.
static const struct {
    const char *list, *lines;
} views[] = {{"icicle", "op-index"}, {"curves", "curve-data"}, {"field", "field-index"}};

static bool page_next(void *state, Str list, size_t index, bool *known)
{
    Source *source = state;
    if (str_equal(list, STR("sections")))
        return next_section(source, index);
    if (str_equal(list, STR("inline_style")))
        return index == 0 && !source->options->page_linked;
    if (str_equal(list, STR("linked_style")))
        return index == 0 && source->options->page_linked;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (str_equal(list, str_of(views[i].list)))
            return index == 0 && !source->options->page_linked &&
                   html_script_reads(source->report, str_of(views[i].lines));
    if (str_equal(list, STR("script")))
        return index == 0 && !source->options->page_linked;
    return *known = false;
}

static bool style_next(void *state, Str list, size_t index, bool *known)
{
    Source *source = state;
    if (str_equal(list, STR("roles"))) {
        source->role = (Role)(ROLE_NONE + 1 + index);
        return source->role < ROLE_HEAT;
    }
    if (str_equal(list, STR("dark")))
        return index == 0 && source->options->mode == THEME_AUTO;
    return *known = false;
}

static bool write_template(Source *source, const char *name, const TemplateSource *from,
                           Markup *out)
{
    Str text;
    return template_find(source->options->templates, name, source->arena, &text, source->err) &&
           template_write(text, name, from, out, source->err);
}

static bool write_style(Source *source, Markup *out)
{
    TemplateSource from = {style_value, style_next, source};
    return write_template(source, "page.css", &from, out);
}

static bool write_report(const Report *report, const RenderOptions *options, Sink *out, Error *err)
{
    Markup markup;
    markup_init(&markup, out);
    Source source = {.report = report, .options = options, .arena = arena_new(), .err = err};
    TemplateSource from = {page_value, page_next, &source};
    bool good = template_find(NULL, "page.labels", source.arena, &source.labels, err) &&
                html_script_find(options->templates, report, source.arena, &source.script, err) &&
                write_template(&source, "page.html", &from, &markup) && !source.failed;
    markup_flush(&markup);
    arena_release(source.arena);
    return good;
}

bool html_write_style(const RenderOptions *options, Sink *out, Error *err)
{
    Markup markup;
    markup_init(&markup, out);
    Source source = {.options = options, .arena = arena_new(), .err = err};
    bool good = write_style(&source, &markup);
    markup_flush(&markup);
    arena_release(source.arena);
    return good;
}

const Renderer html_renderer = {
    .name = "html",
    .suffix = ".html",
    .write_report = write_report,
};
