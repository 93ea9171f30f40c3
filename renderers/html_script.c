// SPDX-License-Identifier: Apache-2.0
#include "renderers/html_script.h"

#include <glib.h>

#include "base/words.h"
#include "renderers/template.h"

enum { SHA256_BYTES = 32 };

static const char *digest_of(Str text, Arena *arena)
{
    guint8 bytes[SHA256_BYTES];
    gsize size = sizeof bytes;
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (size_t at = 0; at < text.size; at += INT32_MAX)
        g_checksum_update(sum, (const guchar *)text.data + at,
                          (gssize)str_slice(text, at, at + INT32_MAX).size);
    g_checksum_get_digest(sum, bytes, &size);
    g_checksum_free(sum);
    gchar *base64 = g_base64_encode(bytes, size);
    const char *out = str_cstr(arena, str_of(base64));
    g_free(base64);
    return out;
}

bool html_script_reads(const Report *report, Str id)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->items[i].kind == BLOCK_INDEX && str_equal(report->items[i].id, id))
            return true;
    return false;
}

bool html_script_find(const char *templates, const Report *report, Arena *arena, HtmlScript *out,
                      Error *err)
{
    const char *const parts[] = {"page.js", "tables.js",
                                 html_script_reads(report, STR("op-index")) ? "icicle.js" : NULL,
                                 html_script_reads(report, STR("curve-data")) ? "curves.js" : NULL};
    StrBuf text = strbuf_new(arena);
    Str own, built_in;
    if (!template_find(templates, "page.js", arena, &own, err) ||
        !template_find(NULL, "page.js", arena, &built_in, err))
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        Str part;
        if (!parts[i] || (i && !str_equal(own, built_in)))
            continue;
        if (!template_find(templates, parts[i], arena, &part, err))
            return false;
        if (str_find(part, STR("</script"), 0) != SIZE_MAX)
            return error_set(err, ERR_INPUT, WHERE_FILE(parts[i]), "%s",
                             tr("the script of the page must not contain '</script'"));
        strbuf_add(&text, part);
    }
    out->text = str_replace(arena, strbuf_str(&text), STR("\r\n"), STR("\n"));  // as browsers do
    out->sha256 = digest_of(out->text, arena);
    return true;
}
