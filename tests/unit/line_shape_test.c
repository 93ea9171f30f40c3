// SPDX-License-Identifier: Apache-2.0
#include "read/log/line_shape.h"

#include <math.h>

#include "check.h"
#include "parts_same.h"
#include "read/log/series_source.h"

// A line that has the shape of one before gives what its dialect makes of it, whatever its numbers
// are.

static Arena *arena;

static bool read_log(Str text, bool parses_all, Parts *out, size_t *notice_count)
{
    Notices notices;
    Error err = {0};
    notices_init(&notices, arena);
    *out = (Parts){.parses_all = parses_all};
    bool good = series_source_read_text("train.log", text, arena, out, &notices, &err);
    *notice_count = notices.count;
    return good;
}

static bool reads_alike(Str text)
{
    Parts fast, slow;
    size_t fast_notices, slow_notices;
    bool good = read_log(text, false, &fast, &fast_notices);
    if (good != read_log(text, true, &slow, &slow_notices))
        return false;
    return fast_notices == slow_notices && (!good || parts_same(&fast, &slow));
}

// '#' is the step, '~' a number of training, '^' digits of a date or a time, '%' a number that
// stays.
static const char *const forms[] = {
    " iteration #/ 1000000 | samples: ~ | elapsed (ms): ~ | lm loss: ~ | loss scale: 1.0 |",
    " iteration #/ 10 | grad norm: ~ | number of skipped iterations: % | lm loss: ~ |",
    " [20^-^-^ 10:^:^.^] iteration #/ 1000000 | lm loss: ~ | throughput (TFLOP/s): ~/~ |",
    "20^-0^-1^ 1^:^:0^,1^ INFO - { Epoch:[  %/  9], step:[#/10000], loss: ~, lr: ~, eta: 0:^:^ }",
    "{ Epoch:[%/9], step:[#/10000], loss: ~, overflow cond: False, global_norm: [~]}",
    "INFO - { step:[#/10000], loss: ~, grad_norm: ~, train_throughput_per_npu: ~T }",
    "steps: # loss: ~ iter time (s): ~ samples/sec: ~",
    "[rank%]: step: #  loss: ~  grad_norm: ~  memory: ~GiB(~%)  tps: ~  mfu: ~%",
    "step:# - actor/pg_loss:~ - actor/grad_norm:~ - critic/score_1/mean:~ - timing_s/gen:~",
    "iter #: loss ~, time ~ms, mfu ~%",
    "epoch % step #/200 loss=~ lr=~ eta 0:^:^",
    "[1,%]<stdout>: epoch: ~, step: #, loss: ~ (~)",
    "2026-^-^ 1^:^:^,1^ step=#, loss=~, batch: ~, tokens: ~K, time ~s",
    "%: step # train_loss ~ val_loss ~ loss_%: ~",
    "Epoch(train)  [%][#/1000000]  lr: ~  eta: ^:^:^  time: ~  loss: ~  loss_cls: ~",
    "[%, #] loss: ~",
    "Epoch %:  ^%|##| #/1000 [00:^<00:^, ~it/s, loss=~, v_num=1]",
    "Epoch %: | #/1000 [00:^<00:^, ~it/s, global_step=#, loss=~, lr=~]",
    "{\"current_steps\": #, \"loss\": ~, \"lr\": ~, \"epoch\": %, \"percentage\": ~}",
    "{\"step\": #, \"train\": {\"loss\": ~, \"norm 2\": ~}, \"time\": \"10:^:^\", \"epoch\": ~}",
    "{'loss': ~, 'grad_norm': ~, 'learning_rate': ~, 'epoch': ~}",
    "Epoch % Step # | Train: loss ~ acc ~ | Val: loss ~ acc ~",
    "{\"step\": #, \"name\": \"loss 1\", \"value\": ~}",
    "num_updates: ~, step #/% loss: ~",
    "global_step=~ loss=~",
    "#,~,~,~",
    "#,~,1.2,1e-05",
    "#,0.9128709,~,%",
    "#,\"~\",~,train",
};
enum { FORM_COUNT = sizeof forms / sizeof *forms, LINES = 120 };

static uint32_t random_below(uint64_t *state, uint32_t count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % count;
}

// Numbers as programs print them; the odd ones are rare.
static void add_number(StrBuf *out, uint64_t *state, uint32_t oddness)
{
    static const char *const odd[] = {
        "nan",   "NaN",   "-inf", "1e999", "12,345", "0,123",       "1.2.3",
        "10:05", "1-2-3", "5K",   "3.5M",  "",       "7/9",         "1e5",
        "+2",    "-0",    "000",  "5.",    "2e",     "tensor(2.5)", "123456789012345678901",
        "None",  "1e-7x", "12 %", "3:45",  "[4]",    "\"5\"",       "1.5e+300"};
    uint32_t kind = random_below(state, 8);
    if (random_below(state, 100) < oddness)
        strbuf_add(out, str_of(odd[random_below(state, sizeof odd / sizeof *odd)]));
    else if (kind == 0)
        strbuf_printf(out, "%u", random_below(state, 3000));
    else if (kind == 1)
        strbuf_printf(out, "%.2e", random_below(state, 99999) / 1e7);
    else if (kind == 2)
        strbuf_printf(out, "-%.3f", random_below(state, 99999) / 1e3);
    else if (kind == 3)
        strbuf_printf(out, "%.17g", random_below(state, 99999) / 7e3);
    else
        strbuf_printf(out, "%.4f", random_below(state, 9999999) / 1e4);
}

// Most steps follow the one before; some stay, fall or leap.
static int64_t next_step(int64_t step, uint64_t *state, uint32_t oddness)
{
    bool odd = random_below(state, 100) < oddness;
    return odd ? (int64_t)random_below(state, 2000) : step + 1;
}

static void add_line(StrBuf *out, const char *form, int64_t step, uint64_t *state, uint32_t oddness)
{
    bool wide = random_below(state, 100) < oddness;
    for (; *form; form++) {
        if (*form == '#' && wide)
            strbuf_printf(out, "%6lld", (long long)step);
        else if (*form == '#')
            strbuf_printf(out, "%lld", (long long)step);
        else if (*form == '~')
            add_number(out, state, oddness);
        else if (*form == '^')
            strbuf_printf(out, "%02u", random_below(state, 60));
        else if (*form == '%' && form[1] != '|')
            strbuf_printf(out, "%u",
                          random_below(state, 100) < oddness ? random_below(state, 12) : 1);
        else
            strbuf_add_char(out, *form);
    }
    strbuf_add(out, random_below(state, 100) < oddness ? STR("\r\n") : STR("\n"));
}

static void a_line_like_one_before_is_read_as_by_its_dialect(void)
{
    for (size_t f = 0; f < FORM_COUNT; f++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            uint64_t state = seed + 100 * f;
            StrBuf text = strbuf_new(arena);
            int64_t step = seed % 3 ? 0 : 995;
            if (forms[f][0] == '#')
                strbuf_add(&text, STR("step,loss,grad_norm,lr\n"));
            for (int line = 0; line < LINES; line++) {
                step = next_step(step, &state, (uint32_t)seed);
                add_line(&text, forms[f], step, &state, (uint32_t)seed);
            }
            if (!reads_alike(strbuf_str(&text)))
                fprintf(stderr, "form %zu, seed %llu\n", f, (unsigned long long)seed);
            CHECK(reads_alike(strbuf_str(&text)));
        }
}

static void lines_of_many_forms_are_read_alike_among_each_other(void)
{
    static const char *const between[] = {"Early stopping, best iteration is:",
                                          "Epoch 3/10",
                                          "local_norm: [1.0, 2.0]",
                                          "| loss | 2.5 |",
                                          "Epoch  GPU_mem  box_loss  Size",
                                          "OVERFLOW! Rank 0 Skipping step",
                                          "step 12",
                                          "eval_loss: 2.5",
                                          "{",
                                          "",
                                          "epoch 4 val_loss: 0.5"};
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t state = 1000 + seed;
        StrBuf text = strbuf_new(arena);
        size_t mixed[3] = {random_below(&state, FORM_COUNT - 2),
                           random_below(&state, FORM_COUNT - 2),
                           random_below(&state, FORM_COUNT - 2)};
        int64_t step = 0;
        for (int line = 0; line < LINES; line++) {
            if (random_below(&state, 10) == 0) {
                strbuf_add(&text,
                           str_of(between[random_below(&state, sizeof between / sizeof *between)]));
                strbuf_add_char(&text, '\n');
            }
            step = next_step(step, &state, 2);
            add_line(&text, forms[mixed[random_below(&state, 3)]], step, &state, 2);
        }
        if (!reads_alike(strbuf_str(&text)))
            fprintf(stderr, "mixed seed %llu\n", (unsigned long long)seed);
        CHECK(reads_alike(strbuf_str(&text)));
    }
}

// A record of one loss and one step, learnt from the line.
static LineShape *learn(LineShapes *shapes, Part *part, Str line)
{
    Scan scan = scan_of(line);
    Figure loss = {0};
    LogPlace place = {.has_step = true};
    CHECK(scan_find(&scan, "step="));
    scan_blanks(&scan);
    place.step_text = line.data + scan.at;
    CHECK(scan_uint(&scan, &place.step) && scan_find(&scan, "loss=") && scan_figure(&scan, &loss));
    part_begin(part, place.step, 0, 1);
    part_add(part, STR("loss"), loss);
    part_end(part);
    LineReading reading = line_reading(&place, part);
    reading.padded = true;
    return shapes_learn(shapes, line, &reading, 1, arena);
}

static void a_shape_fits_lines_with_other_numbers_and_no_others(void)
{
    Parts parts = {0};
    LineShapes shapes = {0};
    Part *part = part_new(&parts, "train.log", -1, "text", arena);
    CHECK(learn(&shapes, part, STR("at 10:05:09 rank3 step= 7 loss=2.5 of 4.25")));
    LineShape *shape =
        shapes_find(&shapes, STR("at 11:59:00 rank3 step=1234 loss=-1e-3 of 4.99"), 1);
    CHECK(!shape);
    shape = shapes_find(&shapes, STR("at 11:59:00 rank3 step=  1234 loss=-1e-3 of 12.99"), 1);
    CHECK(shape && shape->reading.place.step == 1234 && shape->fields[0].figure.value == -1e-3 &&
          shape->fields[0].figure.exponent);
    static const char *const others[] = {
        "at 11:59:00 rank4 step= 8 loss=2.5 of 4.25",
        "at 11:59:0 rank3 step= 8 loss=2.5 of 4.25",
        "at 11:59:00 rank3 step= 8. loss=2.5 of 4.25",
        "at 11:59:00 rank3 step= 8 loss=nan of 4.25",
        "at 11:59:00 rank3 step= 8 loss=2.5K of 4.25",
        "at 11:59:00 rank3 step= 8 loss=2.5 of 4.25.",
        "at 11:59:00 rank3 step= 8 loss=2.5 of 4",
        "at 11:59:00 rank3 step= 8 loss=",
        "at 11:59:00 rank3 step= 1234567890123456 loss=2.5 of 4.25",
        ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!shapes_find(&shapes, str_of(others[i]), 1));
    CHECK(!shapes_find(&shapes, STR("at 10:05:09 rank3 step= 7 loss=2.5 of 4.25"), 2));
    // Digits that stand around a mark may say what both numbers are.
    CHECK(!learn(&shapes, part, STR("step=7 at 10:loss=2.5:30")));
}

static void a_number_ends_with_its_line_whatever_stands_behind(void)
{
    static const struct {
        const char *text;
        size_t size;
        double want;
    } lines[] = {{"step=8 loss=2.57e-05, eta 00:00:01", 15, 2.5},
                 {"step=8 loss=2.57e-05, eta 00:00:01", 17, NAN},
                 {"step=8 loss=2.5\nstep=9 loss=2.25\n", 15, 2.5},
                 {"step=8 loss=12345678, eta 00:00:01", 17, 12345},
                 {"step=8 loss=2.5", 15, 2.5}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        Parts parts = {0};
        LineShapes shapes = {.text = str_of(lines[i].text)};
        Part *part = part_new(&parts, "train.log", -1, "text", arena);
        CHECK(learn(&shapes, part, STR("step=7 loss=4.5")));
        LineShape *shape = shapes_find(&shapes, str_slice(shapes.text, 0, lines[i].size), 1);
        CHECK(isnan(lines[i].want) ? !shape
                                   : shape && shape->fields[0].figure.value == lines[i].want);
    }
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(a_number_ends_with_its_line_whatever_stands_behind);
    CHECK_RUN(a_shape_fits_lines_with_other_numbers_and_no_others);
    CHECK_RUN(a_line_like_one_before_is_read_as_by_its_dialect);
    CHECK_RUN(lines_of_many_forms_are_read_alike_among_each_other);
    arena_release(arena);
    return CHECK_RESULT;
}
