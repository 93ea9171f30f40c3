// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_BASE_CRC32C_H
#define VERNIER_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli, reflected 0x82F63B78); "123456789" gives 0xE3069283.
uint32_t crc32c(const void *bytes, size_t size);
// Goes on from what `crc` is of; first 0.
uint32_t crc32c_more(uint32_t crc, const void *bytes, size_t size);
// The same without the instruction that some processors have for it, to be compared with.
uint32_t crc32c_plain(const void *bytes, size_t size);

// The form that event files store: rotated right by 15 and moved by a constant, so that a checksum
// of data that hold checksums stays sound.
uint32_t crc32c_masked(const void *bytes, size_t size);

#endif
