// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "read/settings/config_file.h"

// A script is read, not run: comments go, lines are joined, plain assignments are kept and put in
// where "$NAME" stands, and the options of the commands are taken in order. Conditions and loops
// are read straight through. Where no command has an option, those in the assigned texts count.

enum { EXPANSION_BYTES_MAX = 1 << 20, EXPANSION_BYTES_ALL = 64 << 20 };

typedef struct Variable {
    Str name, value;
    uint64_t line;
} Variable;
typedef struct Variables {
    Variable *items;
    size_t count, capacity;
    Names *names;
    uint32_t *last;  // by name: the place of its last value
    size_t last_count;
} Variables;

// A word with its quotes gone. Quoted parts keep their blanks; `assigned` is the place after the
// '=' of NAME=…, or 0.
typedef struct Word {
    Str text;
    uint64_t line;
    size_t assigned;
} Word;
typedef struct Words {
    Word *items;
    size_t count, capacity;
} Words;

typedef struct Shell {
    const char *path;
    Str text;
    size_t at;
    uint64_t line;
    Arena *arena;
    Variables variables;
    Names *exported;
    Words words;  // of the statement at hand
    Config *out;
    size_t expanded;  // bytes so far: a variable that doubles itself ends somewhere
    Str sourced;      // the first file that another one is read from
    bool conditions;
} Shell;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static char peek(const Shell *shell, size_t ahead)
{
    return shell->at + ahead < shell->text.size ? shell->text.data[shell->at + ahead] : '\0';
}

static char take(Shell *shell)
{
    char c = peek(shell, 0);
    shell->line += c == '\n';
    shell->at++;
    return c;
}

static bool at_end(const Shell *shell)
{
    return shell->at >= shell->text.size;
}

static void skip_comment(Shell *shell)
{
    while (!at_end(shell) && peek(shell, 0) != '\n')
        shell->at++;
}

// A backslash before a line end joins the lines; returns true if one was taken.
static bool take_joined_line(Shell *shell)
{
    size_t carriage = peek(shell, 1) == '\r';
    if (peek(shell, 0) != '\\' || peek(shell, 1 + carriage) != '\n')
        return false;
    shell->at += 2 + carriage;
    shell->line++;
    return true;
}

// ---- variables

static Str variable_value(const Shell *shell, Str name)
{
    NameId id = names_find(shell->variables.names, name);
    return id == NAME_NONE ? (Str){NULL, 0}
                           : shell->variables.items[shell->variables.last[id]].value;
}

// "$NAME", "${NAME}", "${NAME:-otherwise}", "${NAME[@]}" at `at`; moves past it. False if it is
// none. Before `closed` stands the last '}' of the text.
static bool take_reference(Str text, size_t closed, size_t *at, Str *name, Str *otherwise)
{
    size_t from = *at + 1;
    *otherwise = STR("");
    bool braces = from < text.size && text.data[from] == '{';
    from += braces;
    size_t end = from;
    while (end < text.size && is_name_char(text.data[end]))
        end++;
    *name = str_slice(text, from, end);
    if (name->size == 0)
        return false;
    if (braces) {
        size_t close = end < closed ? str_find_char(text, '}', end) : SIZE_MAX;
        if (close == SIZE_MAX)
            return false;
        Str inner = str_slice(text, end, close);
        if (str_starts(inner, STR(":-")) || str_starts(inner, STR(":=")))
            *otherwise = str_slice(inner, 2, inner.size);
        end = close + 1;
    }
    *at = end;
    return true;
}

// Values were expanded when they were assigned, so one pass is enough.
static Str expand(Shell *shell, Str text)
{
    if (str_find_char(text, '$', 0) == SIZE_MAX || shell->expanded > EXPANSION_BYTES_ALL)
        return text;
    StrBuf out = strbuf_new(shell->arena);
    size_t closed = str_rfind_char(text, '}') + 1;  // 0: none
    for (size_t at = 0; at < text.size && out.size < EXPANSION_BYTES_MAX;) {
        Str name, otherwise;
        size_t next = at;
        if (text.data[at] == '$' && take_reference(text, closed, &next, &name, &otherwise)) {
            Str value = variable_value(shell, name);
            if (value.data)
                strbuf_add(&out, value);
            else if (otherwise.size)
                strbuf_add(&out, otherwise);
            else
                strbuf_add(&out, str_slice(text, at, next));  // not known: shown as it stands
            at = next;
        } else {
            strbuf_add_char(&out, text.data[at++]);
        }
    }
    shell->expanded += out.size;
    return strbuf_str(&out);
}

// ---- words

static void take_single_quoted(Shell *shell, StrBuf *word)
{
    shell->at++;
    while (!at_end(shell) && peek(shell, 0) != '\'')
        strbuf_add_char(word, take(shell));
    shell->at++;
}

// Blanks up to a '#' at the start of a line: people switch options off that way inside of quotes.
static bool comment_line_ahead(const Shell *shell)
{
    size_t ahead = 0;
    while (is_blank(peek(shell, ahead)))
        ahead++;
    return peek(shell, ahead) == '#';
}

static void take_double_quoted(Shell *shell, StrBuf *word)
{
    shell->at++;
    while (!at_end(shell) && peek(shell, 0) != '"') {
        if (take_joined_line(shell)) {
            strbuf_add_char(word, ' ');
            if (comment_line_ahead(shell))
                skip_comment(shell);
        } else if (peek(shell, 0) == '\\' && peek(shell, 1) != '\0') {
            shell->at++;
            strbuf_add_char(word, take(shell));
        } else {
            char c = take(shell);
            strbuf_add_char(word, c);
            if (c == '\n' && comment_line_ahead(shell))
                skip_comment(shell);
        }
    }
    shell->at++;
}

// NAME=( … ): the members as one text with blanks.
static void take_array(Shell *shell, StrBuf *word)
{
    shell->at++;
    while (!at_end(shell) && peek(shell, 0) != ')') {
        char c = peek(shell, 0);
        if (c == '"')
            take_double_quoted(shell, word);
        else if (c == '\'')
            take_single_quoted(shell, word);
        else if (c == '#' && (shell->at == 0 || shell->text.data[shell->at - 1] == ' ' ||
                              shell->text.data[shell->at - 1] == '\n' ||
                              shell->text.data[shell->at - 1] == '\t'))
            skip_comment(shell);
        else if (!take_joined_line(shell))
            strbuf_add_char(word, take(shell));
    }
    shell->at++;
}

static bool ends_word(char c)
{
    return is_blank(c) || c == '\n' || c == ';' || c == '|' || c == '&' || c == '\0';
}

static bool is_assignment_start(Str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!is_name_char(text.data[i]))
            return false;
    return text.size > 0 && !(text.data[0] >= '0' && text.data[0] <= '9');
}

static void take_word(Shell *shell)
{
    Word word = {.line = shell->line};
    StrBuf text = strbuf_new(shell->arena);
    while (!at_end(shell) && !ends_word(peek(shell, 0)) && !take_joined_line(shell)) {
        char c = peek(shell, 0);
        if (c == '"') {
            take_double_quoted(shell, &text);
        } else if (c == '\'') {
            take_single_quoted(shell, &text);
        } else if (c == '=' && !word.assigned && is_assignment_start(strbuf_str(&text))) {
            strbuf_add_char(&text, take(shell));
            word.assigned = text.size;
            if (peek(shell, 0) == '(')
                take_array(shell, &text);
        } else {
            if (c == '\\')
                shell->at++;
            if (!at_end(shell))
                strbuf_add_char(&text, take(shell));
        }
    }
    word.text = strbuf_str(&text);
    *ARRAY_PUSH(shell->arena, &shell->words) = word;
}

// The words of the next statement; false at the end of the script.
static bool take_statement(Shell *shell)
{
    shell->words.count = 0;
    while (!at_end(shell)) {
        char c = peek(shell, 0);
        if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '\0') {
            take(shell);
            if (shell->words.count)
                return true;
        } else if (c == '#') {
            skip_comment(shell);
        } else if (is_blank(c)) {
            shell->at++;
        } else if (!take_joined_line(shell)) {
            take_word(shell);
        }
    }
    return shell->words.count > 0;
}

// ---- options

static bool is_option(Str word)
{
    return word.size > 2 && word.data[0] == '-' && word.data[1] == '-';
}

// "a.b=1", "+a.b=1", "++a.b=1" and "~a.b" as Hydra takes them; without a dot after a program of
// Python alone.
static bool is_override(Str word, bool program)
{
    size_t at = 0;
    while (at < word.size && at < 2 && word.data[at] == '+')
        at++;
    bool added = at > 0, removed = at == 0 && word.size && word.data[0] == '~', dotted = false;
    Str key = str_slice(word, at + removed, str_find_char(word, '=', 0));
    for (size_t i = 0; i < key.size; i++) {
        dotted = dotted || key.data[i] == '.';
        if (!is_name_char(key.data[i]) && (i == 0 || !strchr("./@-", key.data[i])))
            return false;
    }
    bool letter = key.size && !(key.data[0] >= '0' && key.data[0] <= '9');
    if (removed)
        return letter && dotted;
    return letter && (dotted || added || program) && str_find_char(word, '=', 0) != SIZE_MAX;
}

static void add_override(Shell *shell, Str word, Str more, uint64_t line)
{
    size_t from = 0, equals = str_find_char(word, '=', 0);
    while (from < word.size && (word.data[from] == '+' || word.data[from] == '~'))
        from++;
    Str value = equals == SIZE_MAX ? STR("null") : str_slice(word, equals + 1, word.size);
    if (more.size)
        value = str_printf(shell->arena, STR_FMT " " STR_FMT, STR_ARG(value), STR_ARG(more));
    config_add(shell->out, shell->arena,
               (ConfigItem){.path = str_slice(word, from, equals),
                            .value = value,
                            .file = shell->path,
                            .line = line});
}

static void add_option(Shell *shell, Str option, Str value, uint64_t line)
{
    if (!is_option(option)) {
        add_override(shell, option, value, line);
        return;
    }
    Str name = str_slice(option, 2, option.size);
    size_t equals = str_find_char(name, '=', 0);
    bool flag = equals == SIZE_MAX && value.size == 0;
    if (equals != SIZE_MAX) {
        value = str_slice(name, equals + 1, name.size);
        name = str_slice(name, 0, equals);
    }
    if (flag && str_starts(name, STR("no-")) && name.size > 3)
        config_add(shell->out, shell->arena,
                   (ConfigItem){.path = str_slice(name, 3, name.size),
                                .value = STR("false"),
                                .file = shell->path,
                                .line = line});
    config_add(shell->out, shell->arena,
               (ConfigItem){.path = name,
                            .value = flag ? STR("true") : value,
                            .flag = flag,
                            .file = shell->path,
                            .line = line});
}

// "> log", "2>log": what follows is no value.
static bool is_output(Str word)
{
    size_t at = 0;
    while (at < word.size && word.data[at] >= '0' && word.data[at] <= '9')
        at++;
    return at < word.size && word.data[at] == '>';
}

// A variable that no line of the script sets, or what a command prints, where it may be options:
// after a value, or named so.
static bool may_be_options(Str word, bool value_ahead)
{
    bool unknown = word.size > 1 && word.data[0] == '$' &&
                   (strchr("{(", word.data[1]) || is_name_char(word.data[1]));
    unknown = unknown || (word.size && word.data[0] == '`');
    bool named = str_find(word, STR("ARG"), 0) != SIZE_MAX ||
                 str_find(word, STR("OPT"), 0) != SIZE_MAX ||
                 str_find(word, STR("[@]"), 0) != SIZE_MAX;
    return unknown && (!value_ahead || named);
}

// Splits a text at white space and takes its options with their values.
static void take_options(Shell *shell, Str text, uint64_t line)
{
    Str option = STR("");
    StrBuf value = strbuf_new(shell->arena);
    bool any = false, more = false, output = false, program = false;
    bool has_value = false, has_equals = false;  // the option so far; its words after it
    for (size_t at = 0; at <= text.size;) {
        while (at < text.size && (is_blank(text.data[at]) || text.data[at] == '\n'))
            at++;
        size_t from = at;
        while (at < text.size && !is_blank(text.data[at]) && text.data[at] != '\n')
            at++;
        Str word = str_slice(text, from, at);
        bool last = word.size == 0;
        bool of_option = is_option(option) && (!has_value || has_equals);
        bool override = !output && is_override(word, program && !of_option);
        program = program || str_equal(word, STR("-m"));
        if (last || is_option(word) || override || str_ends(word, STR(".py"))) {
            if (option.size)
                add_option(shell, option, str_trim(strbuf_str(&value)), line);
            option = is_option(word) || override ? word : STR("");
            program = program || (!is_option(word) && !override);
            value = strbuf_new(shell->arena);
            any = any || option.size;
            more = more || str_starts(option, STR("--$"));
            has_value = str_find_char(option, '=', 0) != SIZE_MAX;
            output = has_equals = false;
        } else if (is_output(word)) {
            output = true;
        } else if (!output && !STR_IN(word, "\\", "$@", "$*", "${@}", "${*}")) {
            bool options = may_be_options(word, option.size && !has_value);
            more = more || options;
            output = options && str_starts(word, STR("$("));  // words of a command follow
            if (!option.size || (options && !str_starts(strbuf_str(&value), STR("$"))))
                continue;
            strbuf_printf(&value, "%s" STR_FMT, value.size ? " " : "", STR_ARG(word));
            has_value = true;
            has_equals = has_equals || str_find_char(word, '=', 0) != SIZE_MAX;
        }
        if (last)
            break;
    }
    shell->out->more_options |= any && more;
}

static bool is_declaration(Str word)
{
    return STR_IN(word, "local", "declare", "readonly", "typeset");
}

static bool is_condition(Str word)
{
    return STR_IN(word, "if", "then", "elif", "else", "for", "while", "until", "do", "case", "!");
}

static void add_exported(Shell *shell, Str name, Str value, uint64_t line)
{
    config_add(
        shell->out, shell->arena,
        (ConfigItem){
            .path = name, .value = value, .variable = true, .file = shell->path, .line = line});
}

// What was exported once is seen by commands with every later value too.
static void assign(Shell *shell, const Word *word)
{
    Variable variable = {.name = str_slice(word->text, 0, word->assigned - 1),
                         .value =
                             expand(shell, str_slice(word->text, word->assigned, word->text.size)),
                         .line = word->line};
    if (!variable.value.data)
        variable.value = STR("");
    Variables *known = &shell->variables;
    NameId id = names_add(known->names, variable.name);
    ARRAY_REACH(shell->arena, known->last, known->last_count, id)[id] = (uint32_t)known->count;
    *ARRAY_PUSH(shell->arena, known) = variable;
    if (names_find(shell->exported, variable.name))
        add_exported(shell, variable.name, variable.value, word->line);
}

// "export NAME=value OTHER"
static void take_exports(Shell *shell, size_t first)
{
    for (size_t i = first; i < shell->words.count; i++) {
        const Word *word = &shell->words.items[i];
        Str name = word->assigned ? str_slice(word->text, 0, word->assigned - 1) : word->text;
        names_add(shell->exported, name);
        if (word->assigned) {
            assign(shell, word);
            continue;
        }
        Str value = variable_value(shell, name);
        if (value.data)
            add_exported(shell, name, value, word->line);
    }
}

static void take_command(Shell *shell)
{
    const Words *words = &shell->words;
    size_t first = 0;
    while (first < words->count && is_condition(words->items[first].text)) {
        shell->conditions = true;
        first++;
    }
    if (first < words->count && str_equal(words->items[first].text, STR("export"))) {
        take_exports(shell, first + 1);
        return;
    }
    if (first < words->count && is_declaration(words->items[first].text))
        first++;
    while (first < words->count && words->items[first].assigned)
        assign(shell, &words->items[first++]);
    if (first == words->count)
        return;
    if (STR_IN(words->items[first].text, "source", ".") && first + 1 < words->count &&
        !shell->sourced.size)
        shell->sourced = words->items[first + 1].text;
    StrBuf line = strbuf_new(shell->arena);
    for (size_t i = first; i < words->count; i++) {
        Str text = expand(shell, words->items[i].text);
        strbuf_printf(&line, " " STR_FMT, STR_ARG(text));
    }
    take_options(shell, strbuf_str(&line), words->items[first].line);
}

void config_read_shell(const char *path, Str text, Arena *arena, Config *out, Notices *notices)
{
    Shell shell = {.path = path, .text = text, .line = 1, .arena = arena, .out = out};
    shell.exported = names_new(arena);
    shell.variables.names = names_new(arena);
    size_t before = out->count;
    while (take_statement(&shell))
        take_command(&shell);
    size_t options = 0;
    for (size_t i = before; i < out->count; i++)
        options += !out->items[i].variable;
    for (size_t i = 0; options == 0 && i < shell.variables.count; i++)
        take_options(&shell, shell.variables.items[i].value, shell.variables.items[i].line);
    if (shell.sourced.size)
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(path),
                    tr("the script sources '" STR_FMT "', which is not read: name it too"),
                    STR_ARG(shell.sourced));
    out->more_options |= shell.conditions;  // a branch that is not the last one
    if (shell.conditions)
        notices_add(notices, NOTICE_INFO, WHERE_FILE(path),
                    tr("conditions and loops are read straight through: the last value counts"));
}
