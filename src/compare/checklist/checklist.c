// SPDX-License-Identifier: Apache-2.0
#include "compare/checklist/checklist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/number.h"

typedef struct Lookup {
    const Config *config;
    Arena *arena;
    Names *used;  // keys that a row has taken
} Lookup;

static bool is_true(Str value)
{
    char room[8];
    if (value.size >= sizeof room)
        return false;
    for (size_t i = 0; i < value.size; i++)
        room[i] = value.data[i] >= 'A' && value.data[i] <= 'Z' ? (char)(value.data[i] - 'A' + 'a')
                                                               : value.data[i];
    Str text = {room, value.size};
    return str_equal(text, STR("true")) || str_equal(text, STR("1")) ||
           str_equal(text, STR("on")) || str_equal(text, STR("yes"));
}

static bool is_false(Str value, Arena *arena)
{
    return str_equal(check_normal(VALUE_SWITCH, value, arena), STR("false"));
}

static bool is_nothing(Str value)
{
    return value.size == 0 || str_equal_nocase(value, STR("none")) ||
           str_equal_nocase(value, STR("null")) || str_equal(value, STR("~"));
}

// "adam-beta2" as it stands; of a nested path what tells: "betas[1]", "optimizer.type".
static Str shown_name(Str path, Str spelling)
{
    size_t parts = 1;
    for (size_t i = 0; i < spelling.size; i++)
        parts += spelling.data[i] == '.';
    size_t from = path.size;
    while (from > 0 && parts > 0) {
        from--;
        if (path.data[from] == '.' && --parts == 0)
            return str_slice(path, from + 1, path.size);
    }
    return path;
}

static CheckSide side_of(Lookup *lookup, const ConfigItem *item, Str spelling, Str value)
{
    names_add(lookup->used, item->key);
    return (CheckSide){.known = true,
                       .name = shown_name(item->path, spelling),
                       .text = item->value,
                       .value = value,
                       .flag = item->flag,
                       .file = item->file,
                       .line = item->line};
}

static const ConfigItem *find_variable(const Config *config, Str name)
{
    const ConfigItem *found = NULL;
    for (size_t i = 0; i < config->count; i++)
        if (config->items[i].variable && str_equal(config->items[i].path, name))
            found = &config->items[i];
    return found;
}

static Str value_of(const ConfigItem *item, Str spelling, Str word)
{
    if (spelling.data[0] == '!')
        return is_true(item->value) ? STR("false") : STR("true");
    return word.size ? word : item->value;
}

// One spelling of a row: "key", "!key", "key=word" or "$NAME". A flag that stands for a word and is
// written as off is `off`, not found.
static bool look_up(Lookup *lookup, Str spelling, CheckSide *out, CheckSide *off)
{
    if (spelling.data[0] == '$') {
        Str name = str_slice(spelling, 1, spelling.size);
        const ConfigItem *item = find_variable(lookup->config, name);
        if (!item)  // a file of settings may hold those of the environment
            item = config_find(lookup->config, check_normal(VALUE_PLAIN, name, lookup->arena));
        if (item)
            *out = side_of(lookup, item, STR("x"), item->value);
        return item != NULL;
    }
    size_t equals = str_find_char(spelling, '=', 0);
    Str key = str_slice(spelling, spelling.data[0] == '!', equals);
    Str word = equals == SIZE_MAX ? STR("") : str_slice(spelling, equals + 1, spelling.size);
    const ConfigItem *item = config_find(lookup->config, key);
    if (!item || item->variable || is_nothing(item->value))
        return false;
    bool on = word.size == 0 || is_true(item->value);
    if (on)
        *out = side_of(lookup, item, key, value_of(item, spelling, word));
    else if (is_false(item->value, lookup->arena))
        *off = side_of(lookup, item, key, STR(""));
    return on;
}

static CheckSide find_side(Lookup *lookup, const CheckRow *row)
{
    Str rest = str_of(row->spellings), spelling;
    CheckSide side = {0}, off = {0};
    while (rest.size && str_split(&rest, ' ', &spelling))
        if (spelling.size && look_up(lookup, spelling, &side, &off))
            return side;
    if (!row->off || !off.known)
        return (CheckSide){0};
    off.value = str_of(row->off);
    return off;
}

// ---- derived values

static bool number_of(Lookup *lookup, const char *key, double *out)
{
    const ConfigItem *item = config_find(lookup->config, str_of(key));
    return item && !item->variable && number_of_text(item->value, out) && isfinite(*out);
}

static CheckSide derived(Lookup *lookup, double value, const char *name)
{
    char text[NUMBER_BYTES];
    number_json(value, text);
    Str written = str_copy(lookup->arena, str_of(text));
    return (CheckSide){
        .known = true, .derived = true, .name = str_of(name), .text = written, .value = written};
}

// Key and value heads agree unless groups are asked for.
static CheckSide derive_kv_heads(Lookup *lookup)
{
    double heads;
    if (number_of(lookup, "num_attention_heads", &heads) ||
        number_of(lookup, "num_heads", &heads) || number_of(lookup, "n_head", &heads))
        return derived(lookup, heads, "num_attention_heads");
    return (CheckSide){0};
}

// The width of a gated network as LLaMA's code computes it.
static CheckSide derive_ffn(Lookup *lookup)
{
    double hidden, multiple, factor = 1;
    if (!number_of(lookup, "hidden_size", &hidden) ||
        !number_of(lookup, "multiple_of", &multiple) || multiple < 1)
        return (CheckSide){0};
    double width = floor(2 * 4 * hidden / 3);
    if (number_of(lookup, "ffn_dim_multiplier", &factor))
        width = floor(factor * width);
    return derived(lookup, multiple * floor((width + multiple - 1) / multiple),
                   "multiple_of, ffn_dim_multiplier");
}

static CheckSide derive_batch(Lookup *lookup)
{
    double batch, factor;
    static const char *const factors[] = {"data_parallel", "micro_batch_num",
                                          "gradient_accumulation_steps"};
    const char *name = "batch_size x data_parallel x micro_batch_num x accumulation";
    if (!number_of(lookup, "batch_size", &batch)) {
        name = "per_device_train_batch_size x accumulation x world";
        if (!number_of(lookup, "per_device_train_batch_size", &batch))
            return (CheckSide){0};
        if (number_of(lookup, "world_size", &factor) || number_of(lookup, "num_gpus", &factor))
            batch *= factor;
    }
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (number_of(lookup, factors[i], &factor))
            batch *= factor;
    return derived(lookup, batch, name);
}

static CheckSide derive_clip(Lookup *lookup)
{
    const ConfigItem *use = config_find(lookup->config, STR("use_clip_grad"));
    if (!use || !is_true(use->value))
        return (CheckSide){0};
    return derived(lookup, 1.0, "use_clip_grad");
}

// A limit that is given is used.
static CheckSide derive_use_clip(Lookup *lookup)
{
    static const char *const limits[] = {"clip_grad",         "max_grad_norm", "gradient_clipping",
                                         "gradient_clip_val", "grad_clip",     "max_norm"};
    double limit;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (number_of(lookup, limits[i], &limit)) {
            CheckSide side = derived(lookup, limit, limits[i]);
            side.text = side.value = limit > 0 ? STR("true") : STR("false");
            return side;
        }
    return (CheckSide){0};
}

typedef struct Derivation {
    const char *key;
    CheckSide (*derive)(Lookup *lookup);
} Derivation;

static const Derivation derivations[] = {
    {"kv_heads", derive_kv_heads},       {"ffn_hidden_size", derive_ffn},
    {"global_batch_size", derive_batch}, {"clip_grad", derive_clip},
    {"use_clip_grad", derive_use_clip},
};

// Megatron takes num-query-groups only together with its switch.
static bool is_ignored(Lookup *lookup, const CheckRow *row, const CheckSide *side)
{
    return strcmp(row->key, "kv_heads") == 0 && str_equal(side->name, STR("num-query-groups")) &&
           !config_find(lookup->config, STR("group_query_attention"));
}

static CheckSide side_or_derived(Lookup *lookup, const CheckRow *row)
{
    CheckSide side = find_side(lookup, row);
    if (side.known && !is_ignored(lookup, row, &side))
        return side;
    side = (CheckSide){0};
    for (size_t i = 0; i < sizeof derivations / sizeof *derivations; i++)
        if (strcmp(derivations[i].key, row->key) == 0)
            side = derivations[i].derive(lookup);
    return side;
}

// A share of warm-up steps against a number of them: brought together by the length of the run.
static void match_warmup(Lookup *lookup, CheckSide *side)
{
    double total, steps;
    if (side->known ||
        !(number_of(lookup, "train_iters", &total) || number_of(lookup, "max_steps", &total)) ||
        !(number_of(lookup, "lr_warmup_iters", &steps) ||
          number_of(lookup, "warmup_steps", &steps)) ||
        total <= 0)
        return;
    *side = derived(lookup, steps / total, "warm-up steps / train steps");
}

// ---- what a script says by leaving an option out

// Options of Megatron's parser: what is a switch there is off without it.
static bool has_megatron_options(const Config *config)
{
    size_t found = 0;
    for (size_t i = 0; i < config->count && config->format == CONFIG_SHELL; i++)
        found += STR_IN(config->items[i].path, "num-layers", "hidden-size", "ffn-hidden-size",
                        "num-attention-heads", "seq-length", "train-iters", "micro-batch-size",
                        "max-position-embeddings", "init-method-std", "moe-router-topk",
                        "lr-decay-style", "tensor-model-parallel-size");
    return found > 1;
}

// Options may come from elsewhere.
static bool is_open(const Config *config)
{
    return config->more_options || config_find(config, STR("use_checkpoint_args")) ||
           config_find(config, STR("yaml_cfg"));
}

static bool is_mentioned(const Lookup *lookup, const CheckRow *row)
{
    Str rest = str_of(row->spellings), spelling;
    while (rest.size && str_split(&rest, ' ', &spelling)) {
        size_t from = spelling.size && spelling.data[0] == '!';
        Str key = str_slice(spelling, from, str_find_char(spelling, '=', 0));
        if (key.size && config_find(lookup->config, key))
            return true;
    }
    return false;
}

static void match_unsaid(const Lookup lookups[2], const CheckRow *row, CheckSide sides[2])
{
    int silent = sides[0].known;
    if (!row->unsaid || sides[0].known == sides[1].known ||
        !has_megatron_options(lookups[0].config) || !has_megatron_options(lookups[1].config) ||
        is_open(lookups[silent].config) || is_mentioned(&lookups[silent], row))
        return;
    sides[silent] = (CheckSide){.known = true,
                                .derived = true,
                                .name = STR("no option"),
                                .text = str_of(row->unsaid),
                                .value = str_of(row->unsaid)};
}

// ---- advice

static bool off_advice(const CheckRow *row, Str value, double experts_per_token, Arena *arena)
{
    double number = (double)NAN, bound = 0;
    Str normal = check_normal(row->value, value, arena);
    bool numeric = number_of_text(normal, &number);
    if (row->bound)
        number_of_text(str_of(row->bound), &bound);
    switch (row->advice) {
    case ADVICE_NONE:
    case ADVICE_APART:
        return false;
    case ADVICE_EQUAL:
        return !str_equal(normal, check_normal(row->value, str_of(row->bound), arena));
    case ADVICE_BELOW:
        return numeric && !(number < bound);
    case ADVICE_MULTIPLE:
        return numeric && number > 0 && fmod(number, bound) != 0;
    case ADVICE_ON:
        return str_equal(normal, STR("false"));
    case ADVICE_OFF:
        return str_equal(normal, STR("true"));
    case ADVICE_CAPACITY:
        return numeric && number >= 0 &&
               (number < 1 || (experts_per_token > 0 && number > experts_per_token));
    }
    return false;
}

static double experts_per_token(const Config *config)
{
    static const char *const experts[] = {"num_experts", "expert_num", "num_local_experts",
                                          "n_routed_experts"};
    static const char *const chosen[] = {"moe_router_topk", "num_experts_chosen",
                                         "num_experts_per_tok"};
    double all = 0, top = 0;
    for (size_t i = 0; i < 4; i++) {
        const ConfigItem *item = config_find(config, str_of(experts[i]));
        if (item)
            number_of_text(item->value, &all);
    }
    for (size_t i = 0; i < 3; i++) {
        const ConfigItem *item = config_find(config, str_of(chosen[i]));
        if (item)
            number_of_text(item->value, &top);
    }
    return all > 0 && top > 0 ? all / top : 0;
}

// ---- all rows

// "$B2", "${B2}" or "$(lookup)": what is there when the script runs is in no file, so that two
// such texts being equal says nothing.
static bool is_unset(Str value)
{
    for (size_t i = 0; i < value.size; i++) {
        char next = i + 1 < value.size ? value.data[i + 1] : '\0';
        bool name = next == '{' || next == '(' || next == '_' || (unsigned)((next | 32) - 'a') < 26;
        if (value.data[i] == '`' || (value.data[i] == '$' && name))
            return true;
    }
    return false;
}

static void compare_row(Lookup lookups[2], const CheckRow *row, Arena *arena, CheckResult *out)
{
    CheckSide sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] = side_or_derived(&lookups[i], row);
    if (strcmp(row->key, "warmup_ratio") == 0 && sides[0].known != sides[1].known)
        match_warmup(&lookups[sides[0].known], &sides[sides[0].known]);
    match_unsaid(lookups, row, sides);
    *out = (CheckResult){.row = row, .golden = sides[0], .target = sides[1]};
    bool equal = sides[0].known && sides[1].known &&
                 str_equal(check_normal(row->value, sides[0].value, arena),
                           check_normal(row->value, sides[1].value, arena));
    if (sides[0].known && sides[1].known)
        out->status = is_unset(sides[0].value) || is_unset(sides[1].value) ? CHECK_UNKNOWN
                      : equal                                              ? CHECK_EQUAL
                                                                           : CHECK_DIFFERS;
    else
        out->status = sides[0].known || sides[1].known ? CHECK_ONE_SIDE : CHECK_NEITHER;
    bool off[2];
    for (int i = 0; i < 2; i++)
        off[i] = sides[i].known && !sides[i].derived &&
                 off_advice(row, sides[i].value, experts_per_token(lookups[i].config), arena);
    out->advice_golden = off[0];
    out->advice_target = off[1];
}

// A key that no row has taken, nor an element of its list: "betas" of "betas[1]".
static bool is_untaken(const Lookup *lookup, const ConfigItem *item)
{
    bool taken = names_find(lookup->used, item->key) != NAME_NONE;
    for (int i = 0; i < 2 && !taken; i++)
        taken = names_find(lookup->used, str_printf(lookup->arena, STR_FMT "[%d]",
                                                    STR_ARG(item->key), i)) != NAME_NONE;
    return !item->variable && !item->section && !taken &&
           config_find(lookup->config, item->key) == item;
}

// Keys outside of the table: those that both sides have are shown, not judged.
static void compare_others(Lookup lookups[2], Arena *arena, Checklist *out)
{
    const Config *golden = lookups[0].config;
    for (size_t i = 0; i < golden->count; i++) {
        const ConfigItem *item = &golden->items[i];
        if (!is_untaken(&lookups[0], item))
            continue;
        const ConfigItem *other = config_find(lookups[1].config, item->key);
        if (!other)
            other = config_find(lookups[1].config, str_behind(item->key, '.'));
        out->others_alone += !other;
        if (!other || other->variable || names_find(lookups[1].used, other->key))
            continue;
        names_add(lookups[1].used, other->key);
        *ARRAY_PUSH(arena, &out->others) = (CheckOther){
            .golden_name = item->path,
            .golden = item->value,
            .target_name = other->path,
            .target = other->value,
            .equal = str_equal(check_normal(VALUE_PLAIN, item->value, arena),
                               check_normal(VALUE_PLAIN, other->value, arena)),
        };
        out->others_differ += !out->others.items[out->others.count - 1].equal;
    }
    const Config *target = lookups[1].config;
    for (size_t i = 0; i < target->count && target != golden; i++)
        out->others_alone += is_untaken(&lookups[1], &target->items[i]);
}

void checklist_count(Checklist *out, const CheckResult *result)
{
    bool asked = result->row->rule == CHECK_HAND;  // a question, whatever the files say
    out->equal += !asked && result->status == CHECK_EQUAL;
    out->differs += result->row->rule == CHECK_SAME && result->status == CHECK_DIFFERS;
    out->unknown += !asked && result->status == CHECK_UNKNOWN;
    out->one_side += !asked && result->status == CHECK_ONE_SIDE;
    out->advice += result->advice_golden + result->advice_target;
}

void checklist_compare(const Config *golden, const Config *target, Arena *arena, Checklist *out)
{
    *out = (Checklist){0};
    checklist_table_read(arena, &out->table);
    out->row_count = out->table.count;
    out->rows = ARENA_ARRAY(arena, CheckResult, out->row_count);
    Lookup lookups[2] = {{golden, arena, names_new(arena)}, {target, arena, names_new(arena)}};
    for (size_t i = 0; i < out->row_count; i++) {
        compare_row(lookups, &out->table.items[i], arena, &out->rows[i]);
        checklist_count(out, &out->rows[i]);
    }
    compare_others(lookups, arena, out);
}
