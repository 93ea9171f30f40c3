// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/other_words.h"

#include "base/utf8.h"

static const struct {
    OtherWords of;
    const char *typed, *meant;  // one or several words, a blank between them
} words[] = {
    {OTHER_COMMAND, "diff cmp comparison 对比 比较", "compare"},
    {OTHER_COMMAND, "visualize visualization vis tree", "graph"},
    {OTHER_COMMAND, "nan anomaly-processor", "locate"},
    {OTHER_COMMAND, "run-ut multi-run-ut acc-check multi-acc-check api-precision-compare",
     "precheck"},
    {OTHER_COMMAND, "join", "merge"},
    {OTHER_SAME_COMMAND, "graph-visualize", "graph"},
    {OTHER_SAME_COMMAND, "overflow-check nan-analyze", "locate"},
    {OTHER_SAME_COMMAND, "merge-result", "merge"},
    {OTHER_SAME_COMMAND, "config-check config-checking", "checklist"},
    {OTHER_SAME_COMMAND, "csv2tensorboard", "monitor --format tensorboard"},
    {OTHER_COMMAND, "plot loss curve-compare watch", "curves"},
    {OTHER_COMMAND, "parse export", "convert"},
    {OTHER_COMMAND, "帮助", "help"},
    {OTHER_OPTION, "outdir out-dir output-dir dir save-dir file", "output"},
    {OTHER_OPTION, "threshold thresholds tolerance tolerence tol atol rtol limits", "criteria"},
    {OTHER_OPTION, "threshold thresholds tolerance tolerence tol atol rtol", "limits"},
    {OTHER_OPTION, "bench baseline reference ref gpu-path", "golden"},
    {OTHER_OPTION, "npu actual", "target"},
    {OTHER_OPTION, "series stats statistic statistics metric metrics op ops", "stat"},
    {OTHER_OPTION, "stat stats metric metrics", "series"},
    {OTHER_OPTION, "types kind kinds", "type"},
    {OTHER_OPTION, "threads workers nproc processes", "jobs"},
    {OTHER_OPTION, "debug", "verbose"},
    {OTHER_OPTION, "silent", "quiet"},
    {OTHER_OPTION, "language locale", "lang"},
    {OTHER_OPTION, "colour", "color"},
    {OTHER_OPTION, "f fmt", "format"},
    {OTHER_OPTION, "json", "format json"},
    {OTHER_OPTION, "markdown md", "format md"},
    {OTHER_OPTION, "xml junit", "format junit"},
    {OTHER_OPTION, "sarif", "format sarif"},
    {OTHER_OPTION, "csv", "format csv"},
    {OTHER_SYNONYM, "-gp --golden-path --bench-path", "golden"},
    {OTHER_SYNONYM, "-tp --target-path --npu-path -m", "target"},
    {OTHER_SYNONYM, "--output-path -out", "output"},
    {OTHER_SYNONYM, "-i --input-path", "input"},
    {OTHER_SYNONYM, "-lm", "layer-mapping"},
    {OTHER_SYNONYM, "-cm", "cell-mapping"},
    {OTHER_SYNONYM, "-am", "api-mapping"},
    {OTHER_SYNONYM, "-dm", "data-mapping"},
    {OTHER_SYNONYM, "-fm --fuzzy-match", "fuzzy"},
    {OTHER_SYNONYM, "-oc --overflow-check", "overflow"},
    {OTHER_NEEDLESS, "-s --stack-mode -hl --highlight -da --diff-analyze -c --compare-only",
     "compare"},
    {OTHER_NEEDLESS, "-c --compare", "checklist"},
    {OTHER_NEEDLESS, "-progress-log --progress-log", "graph"},
    {OTHER_FORMAT, "markdown", "md"},
    {OTHER_FORMAT, "annotations", "github"},
    {OTHER_FORMAT, "xml junit-xml", "junit"},
    {OTHER_FORMAT, "prometheus prom", "openmetrics"},
    {OTHER_FORMAT, "excel xls", "xlsx"},
    {OTHER_FORMAT, "text", "txt"},
    {OTHER_FORMAT, "gitlab code-quality", "codequality"},
    {OTHER_FORMAT, "db sqlite", "vis-db"},
    {OTHER_VALUE, "cn chinese zh-cn zh-hans zh-tw zh-hant 中文", "zh"},
    {OTHER_VALUE, "english en-us", "en"},
    {OTHER_VALUE, "yes on true", "always"},
    {OTHER_VALUE, "no off false", "never"},
};

static char plain(char letter)
{
    bool upper = letter >= 'A' && letter <= 'Z';
    return letter == '_' ? '-' : upper ? (char)(letter | 32) : letter;
}

static bool same(Str known, Str typed)
{
    for (size_t i = 0; i < known.size && known.size == typed.size; i++)
        if (known.data[i] != plain(typed.data[i]))
            return false;
    return known.size == typed.size;
}

Str other_word(OtherWords of, Str typed, size_t index)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        Str rest = str_of(words[i].typed), word;
        while (words[i].of == of && str_split(&rest, ' ', &word))
            if (same(word, typed) && index-- == 0)
                return str_of(words[i].meant);
    }
    return STR("");
}

static bool is_other_dash(uint32_t character)
{
    return (character >= 0x2010 && character <= 0x2015) || character == 0x2212 ||
           character == 0xFE63 || character == 0xFF0D;
}

size_t other_dash(Str word)
{
    size_t end = 0;
    for (size_t next = 0; end < word.size; end = next)
        if (!is_other_dash(utf8_next(word, &next)))
            break;
    return end;
}

bool other_dash_hint(Str word, Error *err)
{
    size_t dash = other_dash(word);
    Str rest = str_slice(word, dash, word.size);
    if (rest.size == 0 || !dash)
        return false;
    error_hint(err, tr("an option is typed with '-': %s" STR_FMT), rest.size == 1 ? "-" : "--",
               STR_ARG(rest));
    return true;
}

Str other_comma(Str list)
{
    size_t at = str_find(list, STR("\xEF\xBC\x8C"), 0);
    return at == SIZE_MAX ? STR("") : str_slice(list, at, list.size);
}
