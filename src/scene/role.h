// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_SCENE_ROLE_H
#define VERNIER_SCENE_ROLE_H

// What a colour means. Scenes name roles; the theme gives a role its colour in light and dark.
// Identifier and name in the theme file.
// clang-format off
#define ROLE_LIST(X)                                                                              \
    X(PAPER, "paper")                                                                             \
    X(PANEL, "panel")                                                                             \
    X(BAND, "band")                                                                               \
    X(INK, "ink")                                                                                 \
    X(INK2, "ink2")                                                                               \
    X(INK3, "ink3") X(RULE, "rule") X(HAIR, "hair") X(SAME_FILL, "same.fill") X(                  \
        SAME_EDGE, "same.edge") X(SAME_INK, "same.ink") X(PASS_FILL, "pass.fill")                 \
        X(PASS_EDGE, "pass.edge") X(PASS_INK, "pass.ink") X(WARNING_FILL, "warning.fill") X(      \
            WARNING_EDGE, "warning.edge") X(WARNING_INK, "warning.ink")                           \
            X(WARNING_TINT, "warning.tint") X(WARNING_TEDGE, "warning.tedge") X(                  \
                WARNING_TINK, "warning.tink") X(ERROR_FILL, "error.fill")                         \
                X(ERROR_EDGE, "error.edge") X(ERROR_INK, "error.ink") X(ERROR_TINT, "error.tint") \
                    X(ERROR_TEDGE, "error.tedge") X(ERROR_TINK, "error.tink")                     \
                        X(ERROR_TEXT, "error.text") X(UNMATCHED_FILL, "unmatched.fill")           \
                            X(UNMATCHED_EDGE, "unmatched.edge")                                   \
                                X(UNMATCHED_PLATE, "unmatched.plate") X(HATCHLINE, "hatchline")   \
                                    X(NODATA_EDGE, "nodata.edge") X(GOLDEN, "golden")             \
                                        X(TARGET, "target") X(NOISE, "noise")                     \
                                            X(NOISEBAND, "noiseband") X(NAN, "nan")               \
                                                X(NAN_INK, "nan.ink") X(ACCENT, "accent")         \
                                                    X(OVERFLOW_M, "overflow.medium")              \
                                                        X(OVERFLOW_H, "overflow.high")            \
                                                            X(OVERFLOW_C, "overflow.critical")
// clang-format on

// A diverging scale of HEAT_STEPS colours, interpolated by the theme from the five heat.* anchors:
// ROLE_HEAT + 0 is the lowest, + HEAT_STEPS/2 neutral.
enum { HEAT_STEPS = 21 };

typedef enum Role {
    ROLE_NONE,  // not painted
#define ROLE_ENUM(id, name) ROLE_##id,
    ROLE_LIST(ROLE_ENUM)
#undef ROLE_ENUM
        ROLE_HEAT,
    ROLE_COUNT = ROLE_HEAT + HEAT_STEPS
} Role;

#endif
