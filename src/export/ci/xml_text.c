// SPDX-License-Identifier: Apache-2.0
#include "export/ci/xml_text.h"

#include "base/utf8.h"

void xml_text(const Xml *xml, Str text)
{
    static const struct {
        char c;
        const char *by;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
    Str shown = utf8_display(text, xml->arena);
    for (size_t i = 0; i < shown.size; i++) {
        const char *by = NULL;
        for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++)
            by = shown.data[i] == escapes[k].c ? escapes[k].by : by;
        if (by)
            sink_text(xml->out, by);
        else
            sink_write(xml->out, shown.data + i, 1);
    }
}

void xml_attribute(const Xml *xml, const char *name, Str value)
{
    sink_printf(xml->out, " %s=\"", name);
    xml_text(xml, value);
    sink_text(xml->out, "\"");
}

void xml_number(const Xml *xml, const char *name, uint64_t value)
{
    sink_printf(xml->out, " %s=\"%llu\"", name, (unsigned long long)value);
}
