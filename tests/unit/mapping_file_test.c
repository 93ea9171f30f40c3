// SPDX-License-Identifier: Apache-2.0
#include "read/settings/mapping_file.h"

#include "check.h"
#include "read/settings/yaml_tree.h"
#include "temporary.h"

static Arena *arena;
static Notices notices;
static Error err;

static const char *file_of(const char *text)
{
    notices_init(&notices, arena);
    return temporary_file("read_mapping.yaml", text, strlen(text));
}

static void names_are_found_whatever_their_order(void)
{
    NameMapping got;
    CHECK(mapping_read_names(file_of("Mint.add.0.forward.input.0: Torch.add.1.forward.input.0\n"
                                     "A.b: C.d\n'quoted: name': \"x\"\n"),
                             arena, &got, &notices, &err));
    CHECK(got.count == 3);
    CHECK_TEXT(mapping_find(&got, STR("A.b"))->golden, "C.d");
    CHECK_TEXT(mapping_find(&got, STR("quoted: name"))->golden, "x");
    CHECK(mapping_find(&got, STR("A.b"))->line == 2);
    CHECK(mapping_find(&got, STR("absent")) == NULL);
}

static void a_repeated_key_takes_its_last_value_and_is_reported(void)
{
    NameMapping got;
    CHECK(mapping_read_names(file_of("a: x\nb: y\na: z\n"), arena, &got, &notices, &err));
    CHECK(got.count == 2 && notices.count == 1 && notices.items[0].line == 3);
    CHECK_TEXT(got.items[0].golden, "z");
}

static void a_list_is_refused_with_file_and_line(void)
{
    NameMapping got;
    CHECK(!mapping_read_names(file_of("a: b\nc: [d]\n"), arena, &got, &notices, &err));
    CHECK(err.line == 2 && strstr(err.text, "expected a name, found a list"));
    CHECK_TEXT(str_of(err.file), "read_mapping.yaml");
    CHECK(!mapping_read_names(file_of(""), arena, &got, &notices, &err));
    CHECK(strstr(err.text, "found nothing"));
    CHECK(!mapping_read_names(file_of("a: b\n  c: d: e\n"), arena, &got, &notices, &err));
    CHECK(err.line == 2 && strstr(err.text, "broken YAML"));
}

static void yaml_that_is_more_than_data_is_refused(void)
{
    NameMapping got;
    CHECK(!mapping_read_names(file_of("a: !!python/object/apply:os.system ['x']\n"), arena, &got,
                              &notices, &err));
    CHECK(err.line == 1 && strstr(err.text, "tags"));
    CHECK(!mapping_read_names(file_of("a: &x [l, l]\nb: [*x, *x]\n"), arena, &got, &notices, &err));
    CHECK(!mapping_read_names(file_of("? [a]\n: b\n"), arena, &got, &notices, &err));
    CHECK(!mapping_read_names(file_of("a: b\n---\nc: d\n"), arena, &got, &notices, &err));
    char deep[2048];
    memset(deep, '[', sizeof deep);
    deep[sizeof deep - 1] = 0;
    CHECK(!mapping_read_names(file_of(deep), arena, &got, &notices, &err));
}

static void cell_keys_follow_msprobes_rules(void)
{
    NameMapping got;
    CHECK(mapping_read_names(file_of("net.fc.Dense: model.fc.Linear\nfc1: linear1\nlinear1: l1\n"),
                             arena, &got, &notices, &err));
    CHECK_TEXT(mapping_cell_key(&got, STR("Cell.net.fc.Dense.forward.0.input.0"), true, arena),
               "Module.model.fc.Linear.forward.0.input.0");
    // Entries chain, in the order of the file.
    CHECK_TEXT(mapping_cell_key(&got, STR("Cell.net.fc1.Dense.backward.0.output.0"), true, arena),
               "Module.net.l1.Dense.backward.0.output.0");
    CHECK_TEXT(mapping_cell_key(&got, STR("Cell.net.fc1.Dense.backward.0.output.0"), false, arena),
               "Module.net.fc1.Dense.backward.0.output.0");
    CHECK_TEXT(
        mapping_cell_key(&got, STR("Cell.net.fc1.Dense.parameters_grad.weight"), true, arena),
        "Module.net.l1.Dense.parameters_grad.weight");
    CHECK_TEXT(mapping_cell_key(&got, STR("scalar"), true, arena), "N/A");
}

// As by one look at each entry in the order of the file.
static Str replaced_one_by_one(const NameMapping *mapping, Str text)
{
    for (size_t i = 0; i < mapping->count; i++) {
        Str target = mapping->items[i].target;
        size_t at = target.size ? str_find(text, target, 0) : SIZE_MAX;
        if (at == SIZE_MAX)
            continue;
        text = str_printf(arena, STR_FMT STR_FMT STR_FMT, STR_ARG(str_slice(text, 0, at)),
                          STR_ARG(mapping->items[i].golden),
                          STR_ARG(str_slice(text, at + target.size, text.size)));
    }
    return text;
}

// Entries that hold, end and bring in each other.
static void pieces_of_names_are_replaced_as_by_one_look_at_each_entry(void)
{
    NameMapping got;
    CHECK(mapping_read_names(file_of("a: bb\nbb: c\nba: ab\nab: ''\nc: a\naa: x\nca: aab\nb: b\n"),
                             arena, &got, &notices, &err));
    for (unsigned i = 0; i < 3 * 3 * 3 * 3 * 3; i++) {
        char cell[6] = "";
        for (unsigned k = 0, rest = i; k < 5; k++, rest /= 3)
            cell[k] = "abc"[rest % 3];
        bool whole = mapping_find(&got, str_of(cell)) != NULL;
        Str key = mapping_cell_key(&got, str_printf(arena, "Cell.%s.forward.0.input.0", cell), true,
                                   arena);
        Str expected = replaced_one_by_one(&got, str_of(cell));
        expected = str_printf(arena, "Module." STR_FMT ".forward.0.input.0", STR_ARG(expected));
        CHECK(!whole && str_equal(key, expected));
    }
}

static const char *const api_text = "ms_api: Functional.abs\npt_api: Torch.abs\n"
                                    "ms_args: [0]\npt_args: [input]\n"
                                    "ms_outputs: [0]\npt_outputs: [0]\n";

static void an_api_mapping_is_a_list_or_one_object_in_both_spellings(void)
{
    ApiMapping got;
    CHECK(mapping_read_apis(file_of(api_text), arena, &got, &notices, &err));
    CHECK(got.count == 1 && got.items[0].group_counts[API_OUTPUT] == 1);
    CHECK_TEXT(got.items[0].groups[API_INPUT][0].golden, "input");
    CHECK(mapping_read_apis(file_of("- {ms_api: Mint.add, pt_api: Torch.add, ms_output: [0, 1], "
                                    "pt_output: [1, 0]}\n"
                                    "- {ms_api: Mint.sub, pt_api: Torch.sub}\n"),
                            arena, &got, &notices, &err));
    CHECK(got.count == 2);
    const ApiRule *rule = mapping_find_api(&got, STR("Mint.add"));
    CHECK(rule && rule->group_counts[API_OUTPUT] == 2);
    CHECK_TEXT(rule->groups[API_OUTPUT][1].golden, "0");
    CHECK(mapping_find_api(&got, STR("Mint.mul")) == NULL);
}

static void lists_of_different_lengths_cost_their_entry_only(void)
{
    ApiMapping got;
    CHECK(mapping_read_apis(file_of("- {ms_api: A.a, pt_api: B.a, ms_args: [0, 1], pt_args: [0]}\n"
                                    "- {ms_api: A.b, pt_api: B.b}\n"),
                            arena, &got, &notices, &err));
    CHECK(got.count == 1 && notices.count == 1 && notices.items[0].line == 1);
    CHECK(!mapping_read_apis(file_of("- {ms_api: A.a}\n"), arena, &got, &notices, &err));
    CHECK(strstr(err.text, "'pt_api' is missing"));
    CHECK(!mapping_read_apis(file_of("- a\n"), arena, &got, &notices, &err));
}

static void layers_are_sorted_by_length_and_lose_their_class(void)
{
    LayerMapping got;
    CHECK(mapping_read_layers(file_of("Cell: {module: model}\n"
                                      "GPTModel:\n"
                                      "  encoder: decoder (Transformer)\n"
                                      "  language_model.embedding: embedding\n"),
                              arena, &got, &notices, &err));
    const LayerRule *top = mapping_find_layer(&got, STR("TopLayer"));
    const LayerRule *model = mapping_find_layer(&got, STR("GPTModel"));
    CHECK(top && model && model->count == 2);
    CHECK_TEXT(model->items[0].target, "language_model.embedding");
    CHECK_TEXT(model->items[1].golden, "decoder");
    CHECK(!mapping_read_layers(file_of("GPTModel: x\n"), arena, &got, &notices, &err));
    CHECK(err.line == 1);
}

static void broken_api_and_layer_mappings_are_refused_with_their_line(void)
{
    static const struct {
        const char *text, *part;
        uint64_t line;
    } apis[] = {
        {"just a text\n", "expected a list of objects with ms_api", 1},
        {"- ms_api: a\n  pt_api: b\n- c\n", "expected an object with ms_api and pt_api", 3},
        {"- ms_api: a\n", "the key 'pt_api' is missing", 1},
        {"- ms_api: [a]\n  pt_api: b\n", "expected the name of an API", 1},
        {"- ms_api: a\n  pt_api: b\n  ms_args: x\n", "expected a list of names", 3},
        {"- ms_api: a\n  pt_api: b\n  ms_args: [0]\n  pt_args: [[1]]\n", "expected a name", 4},
    };
    ApiMapping got;
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++) {
        CHECK(!mapping_read_apis(file_of(apis[i].text), arena, &got, &notices, &err));
        CHECK(strstr(err.text, apis[i].part) && err.line == apis[i].line);
        CHECK_TEXT(str_of(err.file), "read_mapping.yaml");
    }
    CHECK(!mapping_read_apis("none.yaml", arena, &got, &notices, &err));
    LayerMapping layers;
    CHECK(!mapping_read_layers(file_of("- a\n"), arena, &layers, &notices, &err));
    CHECK(strstr(err.text, "one object for each class of layers"));
    CHECK(!mapping_read_layers(file_of("Cell:\n  a: b\nTop: c\n"), arena, &layers, &notices, &err));
    CHECK(strstr(err.text, "'child of the target: child of the golden run'") && err.line == 3);
    CHECK(!mapping_read_layers("none.yaml", arena, &layers, &notices, &err));
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(names_are_found_whatever_their_order);
    CHECK_RUN(a_repeated_key_takes_its_last_value_and_is_reported);
    CHECK_RUN(a_list_is_refused_with_file_and_line);
    CHECK_RUN(yaml_that_is_more_than_data_is_refused);
    CHECK_RUN(cell_keys_follow_msprobes_rules);
    CHECK_RUN(pieces_of_names_are_replaced_as_by_one_look_at_each_entry);
    CHECK_RUN(an_api_mapping_is_a_list_or_one_object_in_both_spellings);
    CHECK_RUN(lists_of_different_lengths_cost_their_entry_only);
    CHECK_RUN(layers_are_sorted_by_length_and_lose_their_class);
    CHECK_RUN(broken_api_and_layer_mappings_are_refused_with_their_line);
    arena_release(arena);
    return CHECK_RESULT;
}
