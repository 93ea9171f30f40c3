// SPDX-License-Identifier: Apache-2.0
#include "read/table/xlsx_part.h"

#include <string.h>

#include "base/words.h"

enum { CHUNK_BYTES = 64 * 1024, TAG_BYTES_MAX = 1 << 20, DEPTH_MAX = 64 };

#define PART_BYTES_MAX (UINT64_C(4) << 30)

// Expat joins namespace and name with this.
enum { JOINT = '|' };

static Str local_name(const char *name)
{
    const char *joint = strrchr(name, JOINT);
    return str_of(joint ? joint + 1 : name);
}

const char *xlsx_attribute(const char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2)
        if (str_equal(local_name(attributes[i]), str_of(name)))
            return attributes[i + 1];
    return NULL;
}

void xlsx_part_pause(XlsxPart *part)
{
    part->paused = true;
    XML_StopParser(part->parser, XML_TRUE);
}

void xlsx_part_refuse(XlsxPart *part, const char *why)
{
    if (!part->failed)
        error_set(part->err, ERR_INPUT, WHERE_FILE(part->path),
                  tr("the workbook is not readable: %s in %s, line %lu"), why, part->name,
                  (unsigned long)XML_GetCurrentLineNumber(part->parser));
    part->failed = true;
    XML_StopParser(part->parser, XML_FALSE);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    XlsxPart *part = user;
    if (++part->depth > DEPTH_MAX)
        xlsx_part_refuse(part, tr("elements nested deeper than 64"));
    else if (!part->failed)
        part->handlers->start(part, local_name(name), attributes);
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    XlsxPart *part = user;
    part->depth--;
    if (!part->failed)
        part->handlers->end(part, local_name(name));
}

static void XMLCALL on_text(void *user, const XML_Char *text, int size)
{
    XlsxPart *part = user;
    if (!part->failed)
        part->handlers->text(part, (Str){text, (size_t)size});
}

// Only a document type can declare entities; no program that writes workbooks needs one.
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public_id, int internal)
{
    (void)name;
    (void)system;
    (void)public_id;
    (void)internal;
    xlsx_part_refuse(user, tr("a document type"));
}

bool xlsx_part_open(zip_t *archive, const char *path, const char *name,
                    const XlsxHandlers *handlers, void *context, XlsxPart *out, Error *err)
{
    *out = (XlsxPart){.context = context,
                      .handlers = handlers,
                      .path = path,
                      .name = name,
                      .err = err,
                      .limit = PART_BYTES_MAX};
    out->file = zip_fopen(archive, name, 0);
    if (!out->file)
        return error_set(err, ERR_INPUT, WHERE_FILE(path),
                         tr("the workbook is not readable: %s: %s"), name, zip_strerror(archive));
    out->parser = XML_ParserCreateNS("UTF-8", JOINT);
    if (!out->parser) {
        zip_fclose(out->file);
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("out of memory"));
    }
    XML_SetUserData(out->parser, out);
    XML_SetElementHandler(out->parser, on_start, on_end);
    XML_SetCharacterDataHandler(out->parser, on_text);
    XML_SetStartDoctypeDeclHandler(out->parser, on_doctype);
    return true;
}

void xlsx_part_close(XlsxPart *part)
{
    XML_ParserFree(part->parser);
    zip_fclose(part->file);
    part->parser = NULL;
}

// Unpacks the next piece and has it parsed.
static enum XML_Status feed(XlsxPart *part)
{
    void *room = XML_GetBuffer(part->parser, CHUNK_BYTES);
    zip_int64_t size = room ? zip_fread(part->file, room, CHUNK_BYTES) : -1;
    if (size < 0) {
        xlsx_part_refuse(part, tr("damaged or encrypted bytes"));
        return XML_STATUS_ERROR;
    }
    part->fed += (uint64_t)size;
    part->last = size == 0;
    if (part->fed > part->limit) {
        xlsx_part_refuse(part, tr("unpacked it is more than 4 GiB, or 400 times the file"));
        return XML_STATUS_ERROR;
    }
    return XML_ParseBuffer(part->parser, (int)size, part->last);
}

// What is fed and not yet parsed is one unfinished tag: expat keeps it all.
static bool tag_too_long(const XlsxPart *part)
{
    XML_Index parsed = XML_GetCurrentByteIndex(part->parser);
    return parsed >= 0 && part->fed > (uint64_t)parsed &&
           part->fed - (uint64_t)parsed > TAG_BYTES_MAX + CHUNK_BYTES;
}

bool xlsx_part_read(XlsxPart *part)
{
    bool resume = part->paused;
    part->paused = false;
    while (!part->failed) {
        if (part->last && !resume)
            return false;
        enum XML_Status status = resume ? XML_ResumeParser(part->parser) : feed(part);
        resume = false;
        if (part->failed)
            return false;
        if (status == XML_STATUS_ERROR)
            xlsx_part_refuse(part, XML_ErrorString(XML_GetErrorCode(part->parser)));
        else if (status == XML_STATUS_SUSPENDED)
            return true;
        else if (tag_too_long(part))
            xlsx_part_refuse(part, tr("a tag longer than 1 MiB"));
    }
    return false;
}
