// SPDX-License-Identifier: Apache-2.0
#include "renderers/html_script.h"

#include <string.h>

#include "base/words.h"
#include "renderers/template.h"

// SHA-256 (FIPS 180-4), so that a page needs no library.
enum { SHA_WORDS = 8, SHA_BLOCK = 64, SHA_BYTES = 32, SHA_LENGTH = 8 };

static uint32_t rotated(uint32_t value, int by)
{
    return value >> by | value << (32 - by);
}

static void sha_block(uint32_t state[SHA_WORDS], const unsigned char *bytes)
{
    static const uint32_t constants[SHA_BLOCK] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t w[SHA_BLOCK], s[SHA_WORDS];
    memcpy(s, state, sizeof s);
    for (int i = 0; i < SHA_BLOCK; i++) {
        if (i < 16) {
            const unsigned char *at = bytes + 4 * (size_t)i;
            w[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        } else {
            uint32_t x = w[i - 15], y = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) +
                   (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
        }
        uint32_t one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        uint32_t two = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < SHA_WORDS; i++)
        state[i] += s[i];
}

static void sha256(Str text, unsigned char out[SHA_BYTES])
{
    uint32_t state[SHA_WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char last[2 * SHA_BLOCK] = {0};
    size_t whole = text.size / SHA_BLOCK * SHA_BLOCK, rest = text.size - whole;
    for (size_t at = 0; at < whole; at += SHA_BLOCK)
        sha_block(state, (const unsigned char *)text.data + at);
    if (rest)
        memcpy(last, text.data + whole, rest);
    last[rest] = 0x80;
    size_t end = rest + 1 + SHA_LENGTH > SHA_BLOCK ? 2 * SHA_BLOCK : SHA_BLOCK;
    for (size_t i = 0; i < SHA_LENGTH; i++)
        last[end - 1 - i] = (unsigned char)((uint64_t)text.size * 8 >> 8 * i);
    for (size_t at = 0; at < end; at += SHA_BLOCK)
        sha_block(state, last + at);
    for (size_t i = 0; i < SHA_BYTES; i++)
        out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

static const char *digest_of(Str text, Arena *arena)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[SHA_BYTES + 1] = {0};
    StrBuf out = strbuf_new(arena);
    sha256(text, bytes);
    for (size_t i = 0; i < SHA_BYTES; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8;
        three |= i + 2 < SHA_BYTES ? bytes[i + 2] : 0;
        for (int shift = 18; shift >= 0; shift -= 6)
            strbuf_add_char(&out, letters[three >> shift & 63]);
    }
    out.data[out.size - 1] = '=';  // 32 bytes are ten threes and two more
    return str_cstr(arena, strbuf_str(&out));
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
                                 html_script_reads(report, STR("curve-data")) ? "curves.js" : NULL,
                                 html_script_reads(report, STR("field-index")) ? "field.js" : NULL};
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
