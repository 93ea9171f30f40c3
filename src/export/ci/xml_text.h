// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_EXPORT_CI_XML_TEXT_H
#define VERNIER_EXPORT_CI_XML_TEXT_H

#include "base/sink.h"
#include "base/str.h"

// Texts and attributes of XML.

typedef struct Xml {
    Sink *out;
    Arena *arena;  // scratch
} Xml;

// Fit for display (no control characters), then escaped: XML 1.0 knows no other way.
void xml_text(const Xml *xml, Str text);
void xml_attribute(const Xml *xml, const char *name, Str value);  // with a blank in front
void xml_number(const Xml *xml, const char *name, uint64_t value);

#endif
