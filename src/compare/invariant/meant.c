// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/meant.h"

#include "base/array.h"
#include "base/number.h"
#include "base/path.h"
#include "base/words.h"

typedef enum MeantHow {
    MEANT_SWITCH,  // on: `value`
    MEANT_DTYPE,   // "bf16", "bf16-mixed", "torch.bfloat16"
    MEANT_NUMBER,  // above 0
    MEANT_PARTS,   // parts of the model, or patterns of weights: "[vision_tower, 'layers.0.*']"
    MEANT_WORD,    // `value`: all weights
    MEANT_PART_ON  // the key names a part of the model and is switched on: "freeze_vision_tower"
} MeantHow;

// `keys` are whole paths or their ends after a dot, separated by blanks; of MEANT_PART_ON the
// part stands for '*'. Where a switch of `unless` is on, the setting does not tell.
typedef struct MeantRow {
    ExpectKind kind;
    MeantHow how;
    const char *keys, *value, *unless;
} MeantRow;

#define PACKS                                                                      \
    "packing neat_packing sample_packing dataset_packing use_packed_samples pack " \
    "reset_position_ids use_remove_padding padding_free use_dynamic_bsz "          \
    "use_dynamic_batch_size variable_seq_lengths dynamic_batch auto_find_batch_size"
#define THAWS "unfreeze unfreeze_epoch unfreeze_step unfreeze_steps gradual_unfreezing use_lisa"

static const MeantRow rows[] = {
    {EXPECT_COMPUTE, MEANT_SWITCH, "bf16 bf16.enabled", "bfloat16", ""},
    {EXPECT_COMPUTE, MEANT_SWITCH, "fp16 fp16.enabled", "float16", ""},
    {EXPECT_COMPUTE, MEANT_DTYPE,
     "compute_dtype mixed_precision precision amp_dtype autocast_dtype mixed_precision_param", "",
     ""},
    {EXPECT_BATCH, MEANT_NUMBER,
     "per_device_train_batch_size micro_batch_size train_micro_batch_size_per_gpu "
     "local_batch_size runner_config.batch_size",
     "", PACKS},
    {EXPECT_LENGTH, MEANT_NUMBER,
     "seq_length max_seq_length max_seq_len seq_len sequence_len cutoff_len", "", PACKS},
    {EXPECT_GENERATED, MEANT_NUMBER, "max_new_tokens", "", ""},
    {EXPECT_INIT, MEANT_NUMBER, "initializer_range init_method_std", "", ""},
    {EXPECT_FROZEN, MEANT_PARTS,
     "freeze_parameters freeze_modules frozen_modules freeze_layers frozen_layers "
     "frozen_parameters",
     "", THAWS},
    {EXPECT_FROZEN, MEANT_PART_ON, "freeze_* *.freeze *.frozen", "", THAWS},
    {EXPECT_TRAINED, MEANT_WORD, "finetuning_type train_type tuner_type", "full", ""},
};

// ---- settings

static bool is_key(Str key, Str wanted)
{
    size_t start = key.size - wanted.size;
    return str_ends(key, wanted) && (start == 0 || key.data[start - 1] == '.');
}

static bool is_one_of(Str key, const char *keys)
{
    Str rest = str_of(keys), wanted;
    while (str_split(&rest, ' ', &wanted))
        if (wanted.size && is_key(key, wanted))
            return true;
    return false;
}

static Str plain_value(Str value)
{
    Str text = str_trim(value);
    while (text.size > 1 && (text.data[0] == '\'' || text.data[0] == '"') &&
           text.data[text.size - 1] == text.data[0])
        text = str_slice(text, 1, text.size - 1);
    return text;
}

static bool is_on(Str value)
{
    Str text = plain_value(value);
    return str_equal_nocase(text, STR("true")) || str_equal_nocase(text, STR("yes")) ||
           str_equal(text, STR("1"));
}

// A number above 1 tells of steps or epochs: on as well.
static bool is_used(Str value)
{
    double number;
    Str text = plain_value(value);
    return is_on(value) || (number_of_text(text, &number) && number > 0);
}

static const ConfigItem *unless_of(const Config *config, const char *keys)
{
    for (size_t i = 0; i < config->count; i++)
        if (is_one_of(config->items[i].key, keys) && is_used(config->items[i].value))
            return &config->items[i];
    return NULL;
}

// ---- values

static Str dtype_of(Str value)
{
    static const char *const words[][2] = {{"bf16", "bfloat16"},       {"bfloat16", "bfloat16"},
                                           {"bf16-mixed", "bfloat16"}, {"bf16-true", "bfloat16"},
                                           {"fp16", "float16"},        {"float16", "float16"},
                                           {"16", "float16"},          {"16-mixed", "float16"},
                                           {"16-true", "float16"},     {"half", "float16"}};
    Str text = str_behind(plain_value(value), '.');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal_nocase(text, str_of(words[i][0])))
            return str_of(words[i][1]);
    return STR("");
}

// "vision_tower" names it and all below it, wherever it stands; a pattern stands for itself.
static Str whole_pattern(Str parts, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    Str part;
    while (parts.size && str_split(&parts, '|', &part)) {
        if (out.size)
            strbuf_add_char(&out, '|');
        if (str_find_char(part, '*', 0) != SIZE_MAX)
            strbuf_add(&out, part);
        else
            strbuf_printf(&out, STR_FMT "|" STR_FMT ".*|*." STR_FMT "|*." STR_FMT ".*",
                          STR_ARG(part), STR_ARG(part), STR_ARG(part), STR_ARG(part));
    }
    return strbuf_str(&out);
}

static bool is_name(Str part)
{
    for (size_t i = 0; i < part.size; i++)
        if (!(part.data[i] >= 'a' && part.data[i] <= 'z') &&
            !(part.data[i] >= 'A' && part.data[i] <= 'Z') && !is_digit(part.data[i]) &&
            part.data[i] != '_' && part.data[i] != '.' && part.data[i] != '*')
            return false;
    double number;
    return part.size && !number_of_text(part, &number);
}

// "[a, 'b.*']", "a,b" or "a b" as "a|b.*".
static Str parts_of(Str value, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    Str rest = plain_value(value), part;
    if (rest.size && rest.data[0] == '[')
        rest = str_slice(rest, 1, rest.size - 1);
    bool commas = str_find_char(rest, ',', 0) != SIZE_MAX;
    while (rest.size && str_split(&rest, commas ? ',' : ' ', &part)) {
        part = plain_value(part);
        if (part.size == 0)
            continue;
        if (!is_name(part) ||
            STR_IN(part, "None", "none", "null", "false", "False", "true", "True"))
            return STR("");
        strbuf_printf(&out, "%s" STR_FMT, out.size ? "|" : "", STR_ARG(part));
    }
    return strbuf_str(&out);
}

// "freeze_vision_tower" and "vision_tower.freeze" are of the part "vision_tower". Norms that are
// frozen keep their statistics, and may train their weights.
static Str part_on(Str key)
{
    Str last = str_behind(key, '.'), part = STR("");
    if (str_starts(last, STR("freeze_")))
        part = str_slice(last, 7, last.size);
    else if (STR_IN(last, "freeze", "frozen") && last.size < key.size)
        part = str_behind(str_slice(key, 0, key.size - last.size - 1), '.');
    bool norms =
        str_find(part, STR("norm"), 0) != SIZE_MAX || str_find(part, STR("bn"), 0) != SIZE_MAX;
    return is_name(part) && !norms ? part : STR("");
}

// The value of --expect, empty where the setting means nothing.
static Str value_of(const MeantRow *row, const ConfigItem *item, Arena *arena)
{
    Str value = plain_value(item->value);
    double number;
    switch (row->how) {
    case MEANT_SWITCH:
        return is_one_of(item->key, row->keys) && is_on(value) ? str_of(row->value) : STR("");
    case MEANT_DTYPE:
        return is_one_of(item->key, row->keys) ? dtype_of(value) : STR("");
    case MEANT_NUMBER:
        return is_one_of(item->key, row->keys) && number_of_text(value, &number) && number > 0
                   ? value
                   : STR("");
    case MEANT_PARTS:
        return is_one_of(item->key, row->keys) ? parts_of(value, arena) : STR("");
    case MEANT_WORD:
        return is_one_of(item->key, row->keys) && str_equal_nocase(value, str_of(row->value))
                   ? STR("*")
                   : STR("");
    case MEANT_PART_ON:
        return is_on(value) ? part_on(item->key) : STR("");
    }
    return STR("");
}

// ---- expectations

static void tell(Meants *out, Arena *arena, Str text)
{
    *ARRAY_ADD(arena, out->unclear, out->unclear_count, out->unclear_capacity) = text;
}

// Patterns add up; of anything else two values that differ show nothing, nor does a third.
static bool adds_up(ExpectKind kind)
{
    return kind == EXPECT_FROZEN || kind == EXPECT_TRAINED;
}

static Expect *found_before(const Meants *all, ExpectKind kind, Str text)
{
    for (size_t i = 0; i < all->count; i++) {
        Expect *it = &all->items[i];
        if (it->kind == kind && (!adds_up(kind) || str_equal(it->text, text)))
            return it;
    }
    return NULL;
}

static void drop(Meants *out, ExpectKind kind)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].kind != kind)
            out->items[kept++] = out->items[i];
    out->count = kept;
}

typedef struct Taking {
    const Config *config;
    Arena *arena;
    Meants *out;
    unsigned left_out;         // EXPECT_BIT of what is open, or contradicts itself
    const ConfigItem *unless;  // of the row, where it is on
} Taking;

enum { MEANTS_MAX = 256 };

static void take(Taking *of, const MeantRow *row, const ConfigItem *item, Str value)
{
    Arena *arena = of->arena;
    Str setting =
        str_printf(arena, STR_FMT ": " STR_FMT " " STR_FMT, STR_ARG(path_base(str_of(item->file))),
                   STR_ARG(item->path), STR_ARG(plain_value(item->value)));
    Str text = str_printf(arena, "%s=%s" STR_FMT, expect_words[row->kind],
                          row->kind == EXPECT_INIT ? "*=" : "", STR_ARG(value));
    Str shown = str_printf(arena, "%s=" STR_FMT, expect_words[row->kind], STR_ARG(value));
    Expect *before = found_before(of->out, row->kind, shown), meant;
    Error err;
    if (of->left_out & EXPECT_BIT(row->kind) || (before && str_equal(before->text, shown)))
        return;
    if (before) {
        tell(of->out, arena,
             str_printf(arena, tr(STR_FMT " is not used: it contradicts " STR_FMT),
                        STR_ARG(setting), STR_ARG(before->source)));
        drop(of->out, row->kind);
        of->left_out |= EXPECT_BIT(row->kind);
    } else if (of->unless) {
        tell(of->out, arena,
             str_printf(arena, tr(STR_FMT " is not used: " STR_FMT " is " STR_FMT),
                        STR_ARG(setting), STR_ARG(of->unless->path), STR_ARG(of->unless->value)));
        of->left_out |= EXPECT_BIT(row->kind);
    } else if (of->out->count < MEANTS_MAX && expect_read(text, &meant, &err)) {
        meant.source = setting;
        meant.text = shown;
        if (adds_up(row->kind))
            meant.pattern = whole_pattern(value, arena);
        *ARRAY_ADD(arena, of->out->items, of->out->count, of->out->capacity) = meant;
    }
}

// Of equal keys the last one counts.
static bool is_last(const Config *config, size_t index)
{
    return config->items[index].key.size && !config->items[index].variable &&
           config_find(config, config->items[index].key) == &config->items[index];
}

static void take_tokens(const Config *config, TokenIds *out)
{
    const struct {
        TokenId *id;
        const char *keys;  // the first that is there counts
    } ids[] = {{&out->vocabulary, "padded_vocab_size vocab_size"},
               {&out->bos, "bos_token_id"},
               {&out->eos, "eos_token_id"},
               {&out->pad, "pad_token_id"},
               {&out->ignore, "ignore_token_id ignore_index ignore_label"}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        Str rest = str_of(ids[i].keys), key;
        while (!ids[i].id->known && str_split(&rest, ' ', &key)) {
            const ConfigItem *item = config_find(config, key);
            ids[i].id->known = item && str_to_int64(item->value, &ids[i].id->value);
        }
    }
}

void meant_take(const Config *config, Arena *arena, Meants *out)
{
    take_tokens(config, &out->tokens);
    Taking of = {.config = config, .arena = arena, .out = out};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        of.unless = unless_of(config, rows[r].unless);
        for (size_t i = 0; i < config->count; i++) {
            Str value = value_of(&rows[r], &config->items[i], arena);
            if (value.size && is_last(config, i))
                take(&of, &rows[r], &config->items[i], value);
        }
    }
}
