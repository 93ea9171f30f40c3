// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_RISK_LEVEL_H
#define VERNIER_COMPARE_RISK_LEVEL_H

#include "base/names.h"

// Which APIs msProbe records at which risk_level (26.0.0, api_risk_level): names only, a dump does
// not say it. Of a stem such as "Functional.linear" or "Torch.linalg.matmul".

// Those of templates/risk_level.table.
typedef struct RiskNames {
    Names *low, *core;
} RiskNames;

void risk_names_read(Arena *arena, RiskNames *out);

// Left out at FOCUS, the default since 26.0.0: moves, casts and fills that compute nothing.
bool risk_level_low(const RiskNames *names, Str stem);

// Recorded at CORE: products, convolutions, norms, embeddings, attention, communication.
bool risk_level_core(const RiskNames *names, Str stem);

#endif
