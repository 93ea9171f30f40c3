// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_TENSOR_LITTLE_ENDIAN_H
#define VERNIER_READ_TENSOR_LITTLE_ENDIAN_H

#include <stdint.h>

// Little-endian integers at any alignment.

static inline uint16_t le16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t le32(const unsigned char *at)
{
    return (uint32_t)le16(at) | (uint32_t)le16(at + 2) << 16;
}

static inline uint64_t le64(const unsigned char *at)
{
    return (uint64_t)le32(at) | (uint64_t)le32(at + 4) << 32;
}

#endif
