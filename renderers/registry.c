// SPDX-License-Identifier: Apache-2.0
// All renderers, by name and by the suffix of a file.
#include "renderers/chat.h"
#include "renderers/csv.h"
#include "renderers/fragment.h"
#include "renderers/html.h"
#include "renderers/jira.h"
#include "renderers/markdown.h"
#include "renderers/pdf.h"
#include "renderers/plain.h"
#include "renderers/png.h"
#include "renderers/renderer.h"
#include "renderers/svg.h"
#include "renderers/trace.h"
#include "renderers/xlsx.h"

const Renderer *const renderers[] = {
    &html_renderer,
    &svg_renderer,
    &png_renderer,
    &pdf_renderer,
    &xlsx_renderer,
    &csv_renderer,
    &markdown_renderer,
    &plain_renderer,
    &jira_renderer,
    &fragment_renderer,
    &chat_renderer,
    &slack_renderer,
    &dingtalk_renderer,
    &feishu_renderer,
    &wecom_renderer,
    &trace_renderer,
    NULL,
};

const Renderer *renderer_by_name(Str name)
{
    for (size_t i = 0; renderers[i]; i++)
        if (str_equal(str_of(renderers[i]->name), name))
            return renderers[i];
    return NULL;
}

const Renderer *renderer_by_suffix(Str suffix)
{
    for (size_t i = 0; renderers[i]; i++)
        if (str_equal(str_of(renderers[i]->suffix), suffix))
            return renderers[i];
    return NULL;
}
