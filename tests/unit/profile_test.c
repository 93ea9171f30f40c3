// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/profile.h"

#include "base/sink.h"
#include "check.h"
#include "demo.h"
#include "layout_fixture.h"
#include "picture/kit/verdict_head.h"
#include "renderers/svg.h"

static void check_profile(const Comparison *comparison, Arena *arena)
{
    Verdict verdict = fixture_verdict();
    Scene profile;
    if (!profile_picture(comparison, &(ProfileOptions){0}, arena, &profile))
        return;
    CHECK(scene_overlaps(&profile) == 0);
    CHECK(scene_outside(&profile) == 0);
    CHECK(profile.width <= 1200 && profile.height < 2400);
    Verdict own = profile_verdict(comparison, &verdict, arena);
    const Scene *alone = picture_with_verdict(&profile, &own, arena);
    CHECK(scene_overlaps(alone) == 0);
    CHECK(scene_outside(alone) == 0);
    Error err;
    Sink *sink = sink_memory(arena);
    RenderOptions options = {.theme = demo_theme(), .mode = THEME_LIGHT};
    CHECK(svg_renderer.write_scene(alone, &options, sink, &err));
    CHECK(sink_bytes(sink).size <= 300000);
    sink_discard(sink);
}

static void every_sample_has_a_clear_profile(void)
{
    for (size_t i = 0; i < FIXTURE_SAMPLES; i++) {
        Arena *arena = arena_new();
        Comparison comparison;
        if (fixture_sample(fixture_samples[i].sample, fixture_samples[i].target, arena,
                           &comparison))
            check_profile(&comparison, arena);
        arena_release(arena);
    }
}

static void large_runs_keep_the_budget(void)
{
    static const FixturePattern patterns[] = {FIXTURE_CLEAN, FIXTURE_SCATTERED, FIXTURE_NOISY};
    static const uint32_t layers[] = {1, 16, 130, 2000};
    for (size_t p = 0; p < 3; p++)
        for (size_t l = 0; l < 4; l++) {
            Arena *arena = arena_new();
            FixtureRun golden, target;
            FixtureModel model = {.layers = layers[l], .pattern = patterns[p]};
            fixture_model(&target, model, arena);
            model.golden = true;
            fixture_model(&golden, model, arena);
            Comparison comparison;
            fixture_compare(&golden, &target, arena, &comparison);
            check_profile(&comparison, arena);
            arena_release(arena);
        }
}

static void a_comparison_without_partners_has_no_profile(void)
{
    Arena *arena = arena_new();
    FixtureRun runs[2];
    for (int side = 0; side < 2; side++) {
        fixture_begin(&runs[side], arena);
        fixture_op(&runs[side], side ? STR("Torch.add.0.forward") : STR("Torch.mul.0.forward"),
                   STR(""));
        fixture_end(&runs[side]);
    }
    Comparison comparison;
    fixture_compare(&runs[0], &runs[1], arena, &comparison);
    Scene profile;
    CHECK(!profile_picture(&comparison, &(ProfileOptions){0}, arena, &profile));
    arena_release(arena);
}

int main(void)
{
    CHECK_RUN(every_sample_has_a_clear_profile);
    CHECK_RUN_SHARED(every_sample_has_a_clear_profile);
    CHECK_RUN(large_runs_keep_the_budget);
    CHECK_RUN(a_comparison_without_partners_has_no_profile);
    return CHECK_RESULT;
}
