// SPDX-License-Identifier: Apache-2.0
// What debug_string() of torch.utils._debug_mode.DebugMode gives, a call a line, two blanks a
// level:
//
//     [nn.Mod] Net.fc
//       aten::mm(t$0: f32[8, 8])  ->  t$2: f32[8, 8]  # {'input_hash': …, 'hash': …}
//
// A call is an op of its module, "Net.fc.aten::mm", its tensors input.0, input.1 and output.0. A
// hash with a point is the sum of the magnitudes and stands as Norm; a whole one is a checksum.
//
// What DebugMode.save_logs writes: the same calls as JSON, read as their text.
#include "read/dump/dump_formats.h"

#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/dump/slot_content.h"
#include "read/json/json_tree.h"
#include "read/log/lines.h"

enum { LOOK_BYTES = 1 << 18, DEPTH_MAX = 256, PARTS_MAX = 256, NESTED_MAX = 4 };

typedef struct Module {
    size_t indent;
    Str name;
} Module;

typedef struct Reader {
    DumpRows rows;
    RowCalls calls;
    Lines lines;
    Module open[DEPTH_MAX];
    int depth;
    bool compiled;              // within a region of the compiler
    Str kernel, before, after;  // a kernel whose hashes may follow, and these
    Notices *notices;
} Reader;

static const char module_mark[] = "[nn.Mod] ", compiled_mark[] = "[nn.Mod (compile)] ";
static const char region_mark[] = " region (compile)] ", kernel_mark[] = "[triton] ";

// "aten::mm(t: f32[8, 8]) -> …": the name in front of the bracket has no blanks.
static bool is_call(Str text)
{
    size_t open = str_find_char(text, '(', 0);
    Str name = str_slice(text, 0, open);
    return open != SIZE_MAX && open > 0 && str_find_char(name, ' ', 0) == SIZE_MAX &&
           (str_find(name, STR("::"), 0) != SIZE_MAX ||
            str_find(text, STR("  ->  "), open) != SIZE_MAX);
}

bool debug_mode_is(const char *path, Str text)
{
    (void)path;
    Arena *arena = arena_new();
    Lines lines;
    Str line;
    bool found = false;
    lines_open(&lines, str_slice(text, 0, LOOK_BYTES), arena);
    while (!found && lines_next(&lines, &line)) {
        Str call = str_trim(line);
        found =
            str_starts(call, str_of(module_mark)) || str_starts(call, str_of(compiled_mark)) ||
            (str_starts(call, str_of(kernel_mark)) && str_ends(call, STR(")"))) ||
            (str_starts(call, STR("[")) && str_find(call, str_of(region_mark), 0) != SIZE_MAX) ||
            (is_call(call) && str_find(call, STR("t"), 0) != SIZE_MAX &&
             str_find(call, STR("  ->  "), 0) != SIZE_MAX && str_starts(call, STR("aten::")));
    }
    arena_release(arena);
    return found;
}

// Where the bracket at `open` ends, quoted text aside; SIZE_MAX: nowhere.
static size_t closing(Str text, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < text.size; i++) {
        char c = text.data[i];
        depth += c == '(' || c == '[' || c == '{';
        if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i;
    }
    return SIZE_MAX;
}

// The parts of "a, [b, c], d(e, f)" between commas that are in no brackets.
static size_t split(Str text, Str out[PARTS_MAX])
{
    size_t count = 0, from = 0, depth = 0;
    for (size_t i = 0; i <= text.size && count < PARTS_MAX; i++) {
        char c = i < text.size ? text.data[i] : ',';
        depth += c == '(' || c == '[' || c == '{';
        depth -= depth && (c == ')' || c == ']' || c == '}');
        if (c == ',' && (depth == 0 || i == text.size)) {
            out[count] = str_trim(str_slice(text, from, i));
            count += out[count].size > 0;
            from = i + 1;
        }
    }
    return count;
}

// What is within the brackets around all of the text; the text itself without such.
static Str inside(Str text)
{
    char c = text.size ? text.data[0] : ' ';
    bool list = (c == '(' || c == '[' || c == '{') && closing(text, 0) == text.size - 1;
    return list ? str_slice(text, 1, text.size - 1) : text;
}

static Str dtype_of(Str text, Arena *arena)
{
    static const struct {
        const char *written;
        const char *torch;
    } names[] = {{"f", "float"}, {"bf", "bfloat"}, {"i", "int"}, {"u", "uint"}, {"c", "complex"}};
    int64_t bits;
    if (str_equal(text, STR("b8")))
        return STR("torch.bool");
    if (str_starts(text, STR("f8e")))
        return str_printf(arena, "torch.float8_" STR_FMT, STR_ARG(str_slice(text, 2, text.size)));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Str head = str_of(names[i].written);
        if (str_starts(text, head) && str_to_int64(str_slice(text, head.size, text.size), &bits))
            return str_printf(arena, "torch.%s%lld", names[i].torch, (long long)bits);
    }
    return text;
}

// "t$0: f32[8, 8]", "dt: f32[8, 8]| S(0)". False: it is no tensor.
static bool tensor_of(Str text, Arena *arena, Str *dtype, Str *shape)
{
    size_t colon = str_find(text, STR(": "), 0), open = str_find_char(text, '[', colon);
    size_t end = open == SIZE_MAX ? SIZE_MAX : closing(text, open);
    Str mark = str_slice(text, 0, str_find_char(str_slice(text, 0, colon), '$', 0));
    if (colon == SIZE_MAX || end == SIZE_MAX || !STR_IN(str_slice(mark, 0, colon), "t", "dt", "ft"))
        return false;
    *dtype = dtype_of(str_slice(text, colon + 2, open), arena);
    *shape = str_slice(text, open, end + 1);
    return true;
}

static void fill_hash(Reader *reader, Slot *slot, Str hash)
{
    int64_t whole = 0;
    uint64_t natural = 0;
    if (hash.size == 0 || str_equal(hash, STR("None")))
        return;
    if (str_to_uint64(hash, &natural) || str_to_int64(hash, &whole)) {
        Str text = str_printf(reader->rows.scratch, "%016llx",
                              (unsigned long long)(natural ? natural : (uint64_t)whole));
        slot->checksum = names_add(reader->rows.dump->names, text);
        reader->rows.dump->has_checksum = true;
    } else {
        dump_rows_stat(&reader->rows, slot, STAT_NORM, hash);
    }
}

// A tensor may have several hashes: "(20.5, 1234)" of two functions.
static void fill_hashes(Reader *reader, Slot *slot, Str hash)
{
    Str parts[PARTS_MAX];
    size_t count = split(inside(hash), parts);
    for (size_t i = 0; i < count; i++)
        fill_hash(reader, slot, parts[i]);
}

// The tensors of a value, or of a list of them, with what is at the same place of the hashes.
static void add_value(Reader *reader, const OpName *what, Str path, Str text, Str hash, int depth)
{
    Str dtype, shape, parts[PARTS_MAX], values[PARTS_MAX];
    Arena *scratch = reader->rows.scratch;
    if (text.size > 1 && text.data[0] == '\'')
        text = str_slice(text, 1, text.size - 1);
    if (tensor_of(text, scratch, &dtype, &shape)) {
        Slot *slot =
            row_calls_tensor(&reader->calls, what, path, dtype, shape, (uint64_t)reader->lines.at);
        fill_hashes(reader, slot, hash);
        return;
    }
    Str list = inside(text);
    if (list.size == text.size || depth == NESTED_MAX)
        return;
    size_t count = split(list, parts), told = split(inside(hash), values);
    for (size_t i = 0; i < count; i++)
        add_value(reader, what, str_printf(scratch, STR_FMT ".%zu", STR_ARG(path), i), parts[i],
                  i < told ? values[i] : STR(""), depth + 1);
}

// "out=t: f32[8]" is a keyword; a list or a quoted text is none.
static size_t keyword_size(Str part)
{
    size_t end = 0;
    while (end < part.size &&
           (is_letter(part.data[end]) || is_digit(part.data[end]) || part.data[end] == '_'))
        end++;
    return end && end < part.size && part.data[end] == '=' ? end : 0;
}

// The hash of a keyword: of "{'out': 0.0}" or "{in_ptr0: 9.0}".
static Str hash_of_key(Str hashes, Str key)
{
    Str parts[PARTS_MAX];
    size_t count = split(inside(hashes), parts);
    for (size_t i = 0; i < count; i++) {
        size_t colon = str_find_char(parts[i], ':', 0);
        Str name = str_slice(parts[i], 0, colon);
        if (name.size > 1 && name.data[0] == '\'')
            name = str_slice(name, 1, name.size - 1);
        if (colon != SIZE_MAX && str_equal(name, key))
            return str_trim(str_slice(parts[i], colon + 1, parts[i].size));
    }
    return (Str){0};
}

// `hashes`: "((1.5, 2.5), {'out': 0.0})".
static void add_arguments(Reader *reader, const OpName *what, Str arguments, Str hashes)
{
    Str parts[PARTS_MAX], both[PARTS_MAX], values[PARTS_MAX];
    Arena *scratch = reader->rows.scratch;
    size_t count = split(arguments, parts), halves = split(inside(hashes), both);
    size_t told = halves ? split(inside(both[0]), values) : 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = keyword_size(parts[i]);
        Str key = str_slice(parts[i], 0, size);
        Str path = size ? str_printf(scratch, "input." STR_FMT, STR_ARG(key))
                        : str_printf(scratch, "input.%zu", i);
        Str hash = size       ? hash_of_key(halves > 1 ? both[1] : STR(""), key)
                   : i < told ? values[i]
                              : STR("");
        add_value(reader, what, path, str_slice(parts[i], size ? size + 1 : 0, parts[i].size), hash,
                  0);
    }
}

// The value after 'KEY': of the comment.
static Str hashes_of(Str comment, const char *key)
{
    Str parts[PARTS_MAX];
    size_t at = str_find(comment, str_of(key), 0);
    if (at == SIZE_MAX)
        return (Str){0};
    Str rest = str_trim(str_slice(comment, at + str_of(key).size, comment.size));
    size_t brace = str_find_char(rest, '}', 0);  // the end of the comment after a bare number
    if (rest.size && (rest.data[0] == '(' || rest.data[0] == '['))
        return str_slice(rest, 0, closing(rest, 0) + 1);
    return split(str_slice(rest, 0, brace), parts) ? parts[0] : (Str){0};
}

// Eager modules are named from the class of the root on, those of a compiled region from what the
// compiler calls the root: the path is what both share.
static Str module_path(const Reader *reader, Str stem)
{
    Str root = reader->depth ? reader->open[0].name : (Str){0};
    size_t dot = str_find_char(root, '.', 0);
    bool of_root = !reader->compiled && root.size && dot == SIZE_MAX && str_starts(stem, root) &&
                   stem.size > root.size && stem.data[root.size] == '.';
    return of_root ? str_slice(stem, root.size + 1, stem.size) : stem;
}

// "L['self'].features.1" without the root.
static Str compiled_name(Str name)
{
    static const char root[] = "L['self']";
    if (str_starts(name, str_of(root)))
        name = str_slice(name, str_of(root).size, name.size);
    return str_starts(name, STR(".")) ? str_slice(name, 1, name.size) : name;
}

static void open_module(Reader *reader, size_t indent, Str name)
{
    if (reader->depth < DEPTH_MAX)
        reader->open[reader->depth++] = (Module){indent, str_copy(reader->rows.scratch, name)};
}

static OpName op_of_call(Reader *reader, Str name)
{
    Str module = reader->depth ? reader->open[reader->depth - 1].name : STR("");
    bool in_module = reader->depth || reader->compiled;
    OpName what = {.kind = in_module ? OP_MODULE : OP_API,
                   .direction = DIR_FORWARD,
                   .stem = name,
                   .type_name = in_module ? STR("") : name};
    if (in_module) {
        if (module.size)
            what.stem = str_printf(reader->rows.scratch, STR_FMT "." STR_FMT, STR_ARG(module),
                                   STR_ARG(name));
        what.path = module_path(reader, what.stem);
    }
    what.call = row_calls_next(&reader->calls, what.stem);
    return what;
}

// Where calls of one module and name come again, their inputs and outputs count on together. A call
// in place gives nothing. False: its brackets do not close.
static bool read_call(Reader *reader, Str text)
{
    size_t open = str_find_char(text, '(', 0), end = closing(text, open);
    if (end == SIZE_MAX)
        return false;
    size_t arrow = str_find(text, STR("  ->  "), end);
    size_t mark = str_find(text, STR("  # {"), arrow == SIZE_MAX ? end : arrow);
    Str given = arrow == SIZE_MAX ? STR("")
                                  : str_trim(str_slice(text, arrow + str_of("  ->  ").size, mark));
    Str comment = mark == SIZE_MAX ? STR("") : str_slice(text, mark, text.size);
    OpName what = op_of_call(reader, str_slice(text, 0, open));
    add_arguments(reader, &what, str_slice(text, open + 1, end),
                  hashes_of(comment, "'input_hash':"));
    Str hash = hashes_of(comment, "'hash':"), list = inside(given);
    if (list.size != given.size)
        add_value(reader, &what, STR("output"), given, hash, 0);
    else
        add_value(reader, &what, STR("output.0"), given, hash, 0);
    return true;
}

// ---- kernels: "[triton] NAME(in_ptr0=t: f32[8], out_ptr0=t: f32[8], xnumel=8)", with the hashes
// before and after it in comments below

// A pointer whose tensor differs after the kernel, or is called so, is one of its results; what is
// in one that it only fills was never written.
static void add_pointer(Reader *reader, const OpName *what, Str part, size_t key_size)
{
    Str key = str_slice(part, 0, key_size), text = str_slice(part, key_size + 1, part.size);
    Str before = hash_of_key(reader->before, key), after = hash_of_key(reader->after, key);
    bool named = str_find(key, STR("out"), 0) != SIZE_MAX;
    bool both = str_find(key, STR("in_out"), 0) != SIZE_MAX;
    bool changed = !str_equal(before, after);
    Arena *scratch = reader->rows.scratch;
    if (!named || both)
        add_value(reader, what, str_printf(scratch, "input." STR_FMT, STR_ARG(key)), text, before,
                  0);
    if (named || changed)
        add_value(reader, what, str_printf(scratch, "output." STR_FMT, STR_ARG(key)), text, after,
                  0);
}

static void end_kernel(Reader *reader)
{
    Str parts[PARTS_MAX], text = reader->kernel;
    size_t open = str_find_char(text, '(', 0);
    size_t end = open == SIZE_MAX ? SIZE_MAX : closing(text, open);
    reader->kernel = (Str){0};
    if (end == SIZE_MAX)
        return;
    OpName what = op_of_call(reader, str_slice(text, 0, open));
    size_t count = split(str_slice(text, open + 1, end), parts);
    for (size_t i = 0; i < count; i++) {
        size_t size = keyword_size(parts[i]);
        if (size)
            add_pointer(reader, &what, parts[i], size);
        else
            add_value(reader, &what, str_printf(reader->rows.scratch, "input.%zu", i), parts[i],
                      STR(""), 0);
    }
}

static void begin_kernel(Reader *reader, Str text)
{
    reader->kernel = str_copy(reader->rows.scratch, text);
    reader->before = reader->after = (Str){0};
}

static bool read_kernel_hashes(Reader *reader, Str text)
{
    size_t at = str_find(text, STR("-kernel hashes:"), 0);
    if (!reader->kernel.size || at == SIZE_MAX)
        return false;
    Str hashes = str_trim(str_slice(text, at + str_of("-kernel hashes:").size, text.size));
    *(str_find(text, STR("post-"), 0) < at ? &reader->after : &reader->before) =
        str_copy(reader->rows.scratch, hashes);
    return true;
}

// What is no call is text, unless it names a tensor or its hash.
static bool holds_tensor(Str text)
{
    return str_find(text, STR("hash"), 0) != SIZE_MAX ||
           (str_find(text, STR("t: "), 0) != SIZE_MAX &&
            str_find_char(text, '[', str_find(text, STR("t: "), 0)) != SIZE_MAX);
}

static void read_line(Reader *reader, Str line)
{
    Str text = str_trim(line);
    size_t indent = (size_t)(text.data - line.data);
    if (text.size == 0)
        return;
    bool good = true;
    if (text.data[0] == '#') {
        good = str_starts(text, STR("# File: ")) || read_kernel_hashes(reader, text);
    } else {
        end_kernel(reader);
        while (reader->depth && reader->open[reader->depth - 1].indent >= indent)
            reader->depth--;
        if (str_find(text, str_of(region_mark), 0) != SIZE_MAX)
            reader->compiled = str_ends(text, STR("enter"));
        else if (str_starts(text, str_of(compiled_mark)))
            open_module(reader, indent,
                        compiled_name(str_slice(text, str_of(compiled_mark).size, text.size)));
        else if (str_starts(text, str_of(module_mark)))
            open_module(reader, indent, str_slice(text, str_of(module_mark).size, text.size));
        else if (str_starts(text, str_of(kernel_mark)))
            begin_kernel(reader, str_slice(text, str_of(kernel_mark).size, text.size));
        else
            good = is_call(text) && read_call(reader, text);
    }
    if (!good && holds_tensor(text))
        notices_partial(reader->notices,
                        WHERE_LINE(reader->rows.dump->path.data, reader->lines.line), "%s",
                        tr("a line with a tensor or its hash is in no form that is known"));
}

bool debug_mode_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                     Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    Reader *reader = ARENA_NEW(scratch, Reader);
    Str line;
    dump_rows_init(&reader->rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&reader->calls, &reader->rows);
    lines_open(&reader->lines, text, scratch);
    reader->notices = notices;
    while (lines_next(&reader->lines, &line))
        read_line(reader, line);
    end_kernel(reader);
    bool good = dump_rows_end(&reader->rows, FRAMEWORK_PYTORCH, "", err);
    // Its own norm has numbers in the place of NaN and Inf; a norm that is not finite is no such.
    out->hashed = good;
    for (uint32_t i = 0; i < out->slot_count && out->hashed; i++)
        out->hashed = !nonfinite_of_any(out, &out->slots[i]);
    return good;
}

// ---- the same as JSON

enum { JSON_VALUE_DEPTH = 64, INDENT_MAX = 1000 };

bool debug_mode_json_is(const char *path, Str text)
{
    (void)path;
    return str_starts(text, STR("{")) &&
           str_find(str_slice(text, 0, 4096), STR("torch.utils._debug_mode"), 0) != SIZE_MAX;
}

// {"type": "tuple", "items": […]} as Python shows the value: "(1.5, 2.5)".
static void add_json_value(StrBuf *out, const JsonNode *node, int depth)
{
    Str type = tree_member_text(node, "type");
    const JsonNode *items = tree_member(node, STR("items")),
                   *value = tree_member(node, STR("value"));
    bool dict = str_equal(type, STR("dict")), tuple = str_equal(type, STR("tuple"));
    if (!items || depth > JSON_VALUE_DEPTH) {
        if (value && value->kind != JSON_LIST && value->kind != JSON_OBJECT)
            tree_python(value, out);
        else
            strbuf_add(out, STR("None"));
        return;
    }
    strbuf_add_char(out, dict ? '{' : tuple ? '(' : '[');
    for (const JsonNode *item = items->child; item; item = item->next) {
        const JsonNode *key = dict ? item->child : NULL;
        if (key && key->next)
            strbuf_printf(out, "'" STR_FMT "': ", STR_ARG(key->text));
        add_json_value(out, dict ? (key ? key->next : NULL) : item, depth + 1);
        strbuf_add(out, item->next ? STR(", ") : STR(""));
    }
    strbuf_add_char(out, dict ? '}' : tuple ? ')' : ']');
}

static void add_indent(StrBuf *out, const JsonNode *entry)
{
    const JsonNode *depth = tree_member(entry, STR("call_depth"));
    int64_t count = 0;
    if (!depth || !str_to_int64(depth->text, &count) || count < 0 || count > INDENT_MAX)
        count = 0;
    for (int64_t i = 0; i < count; i++)
        strbuf_add(out, STR("  "));
}

// False: the entry is of a kind that is not known.
static bool add_entry(StrBuf *out, const JsonNode *entry)
{
    static const char *const names[] = {"op_name", "kernel_name", NULL};
    Str type = tree_member_text(entry, "type"), name = {0};
    for (size_t i = 0; names[i] && !name.size; i++)
        name = tree_member_text(entry, names[i]);
    add_indent(out, entry);
    if (str_equal(type, STR("annotate"))) {
        strbuf_printf(out, "[" STR_FMT "] " STR_FMT "\n",
                      STR_ARG(tree_member_text(entry, "header")),
                      STR_ARG(tree_member_text(entry, "tag")));
        return true;
    }
    if (!name.size) {
        strbuf_add_char(out, '\n');
        return false;
    }
    Str arguments = tree_member_text(entry, "args_str"),
        keywords = tree_member_text(entry, "kwargs_str");
    bool both = arguments.size && keywords.size && !str_starts(keywords, STR(","));
    strbuf_printf(out, "%s" STR_FMT "(" STR_FMT "%s" STR_FMT ")" STR_FMT,
                  str_find(type, STR("triton"), 0) != SIZE_MAX ? "[triton] " : "", STR_ARG(name),
                  STR_ARG(arguments), both ? ", " : "", STR_ARG(keywords),
                  STR_ARG(tree_member_text(entry, "output_str")));
    const JsonNode *log = tree_member(entry, STR("log"));
    if (log && log->kind == JSON_OBJECT) {
        strbuf_add(out, STR("  # "));
        add_json_value(out, log, 0);
    }
    strbuf_add_char(out, '\n');
    return true;
}

bool debug_mode_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                          Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    JsonTree tree;
    StrBuf lines = strbuf_new(scratch);
    size_t unknown = 0;
    const JsonNode *logs =
        tree_parse(str_trim(text), scratch, &tree) ? tree_member(tree.root, STR("logs")) : NULL;
    bool good = logs && logs->kind == JSON_LIST;
    if (!good)
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("the file is no whole JSON object with 'logs'"));
    for (const JsonNode *entry = good ? logs->child : NULL; entry; entry = entry->next)
        unknown += !add_entry(&lines, entry);
    if (unknown)
        notices_partial(notices, WHERE_FILE(path),
                        tr("entries that are neither op, kernel nor module: %zu"), unknown);
    good = good && debug_mode_read(path, strbuf_str(&lines), names, arena, out, notices, err);
    out->bytes = text.size;
    arena_release(scratch);
    return good;
}
