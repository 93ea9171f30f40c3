// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMPARE_RISK_LEVEL_H
#define VERNIER_COMPARE_RISK_LEVEL_H

#include "base/str.h"

// Which APIs msProbe records at which risk_level (26.0.0, api_risk_level): names only, a dump does
// not say it. Of a stem such as "Functional.linear" or "Torch.linalg.matmul".

// Left out at FOCUS, the default since 26.0.0: moves, casts and fills that compute nothing.
bool risk_level_low(Str stem);

// Recorded at CORE: products, convolutions, norms, embeddings, attention, communication.
bool risk_level_core(Str stem);

#endif
