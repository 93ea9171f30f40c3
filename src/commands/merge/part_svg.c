// SPDX-License-Identifier: Apache-2.0
#include "commands/merge/part_svg.h"

#include <expat.h>
#include <string.h>

#include "base/words.h"

typedef struct Reading {
    XML_Parser parser;
    bool in_style, bad;
    size_t depth;
} Reading;

static void refuse(Reading *reading)
{
    reading->bad = true;
    XML_StopParser(reading->parser, XML_FALSE);
}

bool part_svg_element(const char *name)
{
    return STR_IN(str_of(name), "svg", "title", "desc", "style", "rect", "circle", "line", "path",
                  "text", "tspan", "g", "a", "defs", "pattern");
}

static size_t span_plain(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 #%'+,-._");
}

// Words and numbers, or one call of which the argument is such: of a pattern of the picture itself,
// or of a rotation. What CSS reads as another call has a backslash or a bracket elsewhere.
static bool has_known_form(const char *value)
{
    static const char *const calls[] = {"url(#", "rotate("};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t size = strlen(calls[i]);
        if (strncmp(value, calls[i], size) == 0) {
            const char *end = value + size + span_plain(value + size);
            return end[0] == ')' && !end[1];
        }
    }
    return value[span_plain(value)] == '\0';
}

bool part_svg_attribute(const char *name, const char *value)
{
    if (strcmp(name, "xmlns") == 0)
        return strcmp(value, "http://www.w3.org/2000/svg") == 0;
    if (strcmp(name, "href") == 0)
        return value[0] == '#';
    return STR_IN(str_of(name), "width", "height", "viewBox", "font-family", "lang", "role", "fill",
                  "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "fill-opacity",
                  "stroke-opacity", "x", "y", "rx", "cx", "cy", "r", "x1", "y1", "x2", "y2", "d",
                  "pointer-events", "id", "transform", "text-anchor", "font-size", "font-weight",
                  "dx", "dy", "xml:space", "patternUnits", "patternTransform") &&
           has_known_form(value);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    Reading *reading = user;
    bool good = part_svg_element(name) && !reading->in_style &&
                (reading->depth++ > 0 || strcmp(name, "svg") == 0);
    for (size_t i = 0; attributes[i] && good; i += 2)
        good = part_svg_attribute(attributes[i], attributes[i + 1]);
    reading->in_style = strcmp(name, "style") == 0;
    if (!good)
        refuse(reading);
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    (void)name;
    ((Reading *)user)->in_style = false;
}

// The rules for the dark change colours: without a call, a slash, a backslash or a rule of another
// kind they can load nothing.
static void XMLCALL on_text(void *user, const XML_Char *text, int size)
{
    static const char others[] = "[]{}#=\":-";
    const Str media = STR("@media screen and (prefers-color-scheme:dark){");
    Reading *reading = user;
    Str rest = {text, (size_t)size};
    if (!reading->in_style)
        return;
    if (str_starts(rest, media))
        rest = str_slice(rest, media.size, rest.size);
    for (size_t i = 0; i < rest.size; i++) {
        char c = rest.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9');
        if (!letter && !memchr(others, c, sizeof others - 1))
            refuse(reading);
    }
}

// What no picture of this program has.
static void XMLCALL on_declaration(void *user, const XML_Char *version, const XML_Char *encoding,
                                   int standalone)
{
    (void)version;
    (void)encoding;
    (void)standalone;
    refuse(user);
}

static void XMLCALL on_instruction(void *user, const XML_Char *target, const XML_Char *data)
{
    (void)target;
    (void)data;
    refuse(user);
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public_id, int internal)
{
    (void)name;
    (void)system;
    (void)public_id;
    (void)internal;
    refuse(user);
}

const char *part_svg_refusal(Str bytes)
{
    const size_t most = 1 << 30;
    Reading reading = {.parser = XML_ParserCreate("UTF-8")};
    bool good = reading.parser && bytes.size <= most;
    if (good) {
        XML_SetUserData(reading.parser, &reading);
        XML_SetElementHandler(reading.parser, on_start, on_end);
        XML_SetCharacterDataHandler(reading.parser, on_text);
        XML_SetXmlDeclHandler(reading.parser, on_declaration);
        XML_SetProcessingInstructionHandler(reading.parser, on_instruction);
        XML_SetStartDoctypeDeclHandler(reading.parser, on_doctype);
        good = XML_Parse(reading.parser, bytes.data, (int)bytes.size, XML_TRUE) == XML_STATUS_OK &&
               !reading.bad;
    }
    XML_ParserFree(reading.parser);
    return good ? NULL
                : tr("this picture has something that vernier's pictures never have, such as a "
                     "script; it is left out");
}
