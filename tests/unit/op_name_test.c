// SPDX-License-Identifier: Apache-2.0
#include "read/dump/op_name.h"

#include "check.h"

static void module_names_are_parsed_from_the_right(void)
{
    OpName name = op_name_parse(STR("Module.0.layers.forward.Linear.forward.12"));
    CHECK(name.kind == OP_MODULE && name.direction == DIR_FORWARD && name.call == 12);
    CHECK_TEXT(name.path, "0.layers.forward");
    CHECK_TEXT(name.type_name, "Linear");
    CHECK_TEXT(name.stem, "Module.0.layers.forward.Linear");
}

static void api_names_keep_dotted_prefixes(void)
{
    OpName name = op_name_parse(STR("torch.nn.functional.relu.0.backward"));
    CHECK(name.kind == OP_API && name.direction == DIR_BACKWARD && name.call == 0);
    CHECK_TEXT(name.prefix, "torch.nn.functional");
    CHECK_TEXT(name.type_name, "relu");
    name = op_name_parse(STR("Primitive.norm.RmsNorm.3.forward"));
    CHECK_TEXT(name.stem, "Primitive.norm.RmsNorm");
}

static void gradients_come_with_and_without_counter(void)
{
    OpName old_form = op_name_parse(STR("Module.fc.Linear.parameters_grad"));
    OpName new_form = op_name_parse(STR("Module.fc.Linear.parameters_grad.3"));
    CHECK(old_form.kind == OP_GRADS && old_form.call == -1);
    CHECK(new_form.kind == OP_GRADS && new_form.call == 3);
    CHECK(str_equal(old_form.stem, new_form.stem));
    CHECK_TEXT(new_form.path, "fc");
}

static void odd_names_are_kept_as_other(void)
{
    CHECK(op_name_parse(STR("api")).kind == OP_OTHER);
    CHECK(op_name_parse(STR("")).kind == OP_OTHER);
    CHECK(op_name_parse(STR("forward")).kind == OP_OTHER);
    CHECK(op_name_parse(STR("..forward")).kind != OP_MODULE);
    CHECK(op_name_parse(STR("Module.layer1.forward")).kind == OP_MODULE);
    CHECK(op_name_parse(STR("x.3.debug")).kind == OP_DEBUG);
}

int main(void)
{
    CHECK_RUN(module_names_are_parsed_from_the_right);
    CHECK_RUN(api_names_keep_dotted_prefixes);
    CHECK_RUN(gradients_come_with_and_without_counter);
    CHECK_RUN(odd_names_are_kept_as_other);
    return CHECK_RESULT;
}
