// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

// One entry for each value of four bits: small enough to read, and two look-ups a byte.
static const uint32_t table[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

uint32_t crc32c(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return crc ^ 0xFFFFFFFF;
}

uint32_t crc32c_masked(const void *bytes, size_t size)
{
    uint32_t crc = crc32c(bytes, size);
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
}
