// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/raw_floats.h"

#include <math.h>

#include "read/tensor/little_endian.h"
#include "read/tensor/tensor_values.h"

enum { VALUES_MIN = 16, LOOKS = 1000, FLOAT_BYTES = 4 };

// Of random bytes one value in four is; -inf masks a token.
static bool is_likely(double value)
{
    double size = fabs(value);
    return !isfinite(value) || size == 0 || (size > 1e-12 && size < 1e7);
}

bool raw_floats_is(const char *path, Str bytes)
{
    size_t count = bytes.size / FLOAT_BYTES;
    const unsigned char *at = (const unsigned char *)bytes.data;
    bool likely =
        str_ends(str_of(path), STR(".bin")) && bytes.size % FLOAT_BYTES == 0 && count >= VALUES_MIN;
    for (size_t i = 0; likely && i < count && i < LOOKS; i++)
        likely = is_likely((double)float_of_bits(le32(at + FLOAT_BYTES * i)));
    return likely;
}

Tensor raw_floats_tensor(Str bytes)
{
    Tensor out = {.data = (const unsigned char *)bytes.data};
    uint64_t count = bytes.size / FLOAT_BYTES;
    tensor_set_shape(&out, DTYPE_F32, 1, &count);  // no more bytes than there are
    return out;
}
