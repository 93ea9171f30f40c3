// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <stddef.h>
#include <string.h>

#include "base/digits.h"

// Rounding: D. Lemire, "Number Parsing at a Gigabyte per Second" (2021), with the proof of N.
// Mushtak and D. Lemire, "Fast Number Parsing Without Fallback" (2023). The digits, shifted to fill
// 64 bits, are multiplied by the first 128 bits of 5^exponent; the first 53 bits of the product and
// its next ones decide the double. Digits are collected eight at a time in one word.

enum { POWER_MIN = -65, POWER_MAX = 55 };

typedef struct Power {
    uint64_t high, low;
} Power;

// The first 128 bits of 5^e, e from POWER_MIN to POWER_MAX, the first bit set: exact for e >= 0,
// rounded up for -27 <= e < 0, cut off below, as the proof asks.
static const Power powers[] = {
    {0x86ccbb52ea94baeau, 0x98e947129fc2b4e9u}, {0xa87fea27a539e9a5u, 0x3f2398d747b36224u},
    {0xd29fe4b18e88640eu, 0x8eec7f0d19a03aadu}, {0x83a3eeeef9153e89u, 0x1953cf68300424acu},
    {0xa48ceaaab75a8e2bu, 0x5fa8c3423c052dd7u}, {0xcdb02555653131b6u, 0x3792f412cb06794du},
    {0x808e17555f3ebf11u, 0xe2bbd88bbee40bd0u}, {0xa0b19d2ab70e6ed6u, 0x5b6aceaeae9d0ec4u},
    {0xc8de047564d20a8bu, 0xf245825a5a445275u}, {0xfb158592be068d2eu, 0xeed6e2f0f0d56712u},
    {0x9ced737bb6c4183du, 0x55464dd69685606bu}, {0xc428d05aa4751e4cu, 0xaa97e14c3c26b886u},
    {0xf53304714d9265dfu, 0xd53dd99f4b3066a8u}, {0x993fe2c6d07b7fabu, 0xe546a8038efe4029u},
    {0xbf8fdb78849a5f96u, 0xde98520472bdd033u}, {0xef73d256a5c0f77cu, 0x963e66858f6d4440u},
    {0x95a8637627989aadu, 0xdde7001379a44aa8u}, {0xbb127c53b17ec159u, 0x5560c018580d5d52u},
    {0xe9d71b689dde71afu, 0xaab8f01e6e10b4a6u}, {0x9226712162ab070du, 0xcab3961304ca70e8u},
    {0xb6b00d69bb55c8d1u, 0x3d607b97c5fd0d22u}, {0xe45c10c42a2b3b05u, 0x8cb89a7db77c506au},
    {0x8eb98a7a9a5b04e3u, 0x77f3608e92adb242u}, {0xb267ed1940f1c61cu, 0x55f038b237591ed3u},
    {0xdf01e85f912e37a3u, 0x6b6c46dec52f6688u}, {0x8b61313bbabce2c6u, 0x2323ac4b3b3da015u},
    {0xae397d8aa96c1b77u, 0xabec975e0a0d081au}, {0xd9c7dced53c72255u, 0x96e7bd358c904a21u},
    {0x881cea14545c7575u, 0x7e50d64177da2e54u}, {0xaa242499697392d2u, 0xdde50bd1d5d0b9e9u},
    {0xd4ad2dbfc3d07787u, 0x955e4ec64b44e864u}, {0x84ec3c97da624ab4u, 0xbd5af13bef0b113eu},
    {0xa6274bbdd0fadd61u, 0xecb1ad8aeacdd58eu}, {0xcfb11ead453994bau, 0x67de18eda5814af2u},
    {0x81ceb32c4b43fcf4u, 0x80eacf948770ced7u}, {0xa2425ff75e14fc31u, 0xa1258379a94d028du},
    {0xcad2f7f5359a3b3eu, 0x096ee45813a04330u}, {0xfd87b5f28300ca0du, 0x8bca9d6e188853fcu},
    {0x9e74d1b791e07e48u, 0x775ea264cf55347eu}, {0xc612062576589ddau, 0x95364afe032a819eu},
    {0xf79687aed3eec551u, 0x3a83ddbd83f52205u}, {0x9abe14cd44753b52u, 0xc4926a9672793543u},
    {0xc16d9a0095928a27u, 0x75b7053c0f178294u}, {0xf1c90080baf72cb1u, 0x5324c68b12dd6339u},
    {0x971da05074da7beeu, 0xd3f6fc16ebca5e04u}, {0xbce5086492111aeau, 0x88f4bb1ca6bcf585u},
    {0xec1e4a7db69561a5u, 0x2b31e9e3d06c32e6u}, {0x9392ee8e921d5d07u, 0x3aff322e62439fd0u},
    {0xb877aa3236a4b449u, 0x09befeb9fad487c3u}, {0xe69594bec44de15bu, 0x4c2ebe687989a9b4u},
    {0x901d7cf73ab0acd9u, 0x0f9d37014bf60a11u}, {0xb424dc35095cd80fu, 0x538484c19ef38c95u},
    {0xe12e13424bb40e13u, 0x2865a5f206b06fbau}, {0x8cbccc096f5088cbu, 0xf93f87b7442e45d4u},
    {0xafebff0bcb24aafeu, 0xf78f69a51539d749u}, {0xdbe6fecebdedd5beu, 0xb573440e5a884d1cu},
    {0x89705f4136b4a597u, 0x31680a88f8953031u}, {0xabcc77118461cefcu, 0xfdc20d2b36ba7c3eu},
    {0xd6bf94d5e57a42bcu, 0x3d32907604691b4du}, {0x8637bd05af6c69b5u, 0xa63f9a49c2c1b110u},
    {0xa7c5ac471b478423u, 0x0fcf80dc33721d54u}, {0xd1b71758e219652bu, 0xd3c36113404ea4a9u},
    {0x83126e978d4fdf3bu, 0x645a1cac083126eau}, {0xa3d70a3d70a3d70au, 0x3d70a3d70a3d70a4u},
    {0xccccccccccccccccu, 0xcccccccccccccccdu}, {0x8000000000000000u, 0x0000000000000000u},
    {0xa000000000000000u, 0x0000000000000000u}, {0xc800000000000000u, 0x0000000000000000u},
    {0xfa00000000000000u, 0x0000000000000000u}, {0x9c40000000000000u, 0x0000000000000000u},
    {0xc350000000000000u, 0x0000000000000000u}, {0xf424000000000000u, 0x0000000000000000u},
    {0x9896800000000000u, 0x0000000000000000u}, {0xbebc200000000000u, 0x0000000000000000u},
    {0xee6b280000000000u, 0x0000000000000000u}, {0x9502f90000000000u, 0x0000000000000000u},
    {0xba43b74000000000u, 0x0000000000000000u}, {0xe8d4a51000000000u, 0x0000000000000000u},
    {0x9184e72a00000000u, 0x0000000000000000u}, {0xb5e620f480000000u, 0x0000000000000000u},
    {0xe35fa931a0000000u, 0x0000000000000000u}, {0x8e1bc9bf04000000u, 0x0000000000000000u},
    {0xb1a2bc2ec5000000u, 0x0000000000000000u}, {0xde0b6b3a76400000u, 0x0000000000000000u},
    {0x8ac7230489e80000u, 0x0000000000000000u}, {0xad78ebc5ac620000u, 0x0000000000000000u},
    {0xd8d726b7177a8000u, 0x0000000000000000u}, {0x878678326eac9000u, 0x0000000000000000u},
    {0xa968163f0a57b400u, 0x0000000000000000u}, {0xd3c21bcecceda100u, 0x0000000000000000u},
    {0x84595161401484a0u, 0x0000000000000000u}, {0xa56fa5b99019a5c8u, 0x0000000000000000u},
    {0xcecb8f27f4200f3au, 0x0000000000000000u}, {0x813f3978f8940984u, 0x4000000000000000u},
    {0xa18f07d736b90be5u, 0x5000000000000000u}, {0xc9f2c9cd04674edeu, 0xa400000000000000u},
    {0xfc6f7c4045812296u, 0x4d00000000000000u}, {0x9dc5ada82b70b59du, 0xf020000000000000u},
    {0xc5371912364ce305u, 0x6c28000000000000u}, {0xf684df56c3e01bc6u, 0xc732000000000000u},
    {0x9a130b963a6c115cu, 0x3c7f400000000000u}, {0xc097ce7bc90715b3u, 0x4b9f100000000000u},
    {0xf0bdc21abb48db20u, 0x1e86d40000000000u}, {0x96769950b50d88f4u, 0x1314448000000000u},
    {0xbc143fa4e250eb31u, 0x17d955a000000000u}, {0xeb194f8e1ae525fdu, 0x5dcfab0800000000u},
    {0x92efd1b8d0cf37beu, 0x5aa1cae500000000u}, {0xb7abc627050305adu, 0xf14a3d9e40000000u},
    {0xe596b7b0c643c719u, 0x6d9ccd05d0000000u}, {0x8f7e32ce7bea5c6fu, 0xe4820023a2000000u},
    {0xb35dbf821ae4f38bu, 0xdda2802c8a800000u}, {0xe0352f62a19e306eu, 0xd50b2037ad200000u},
    {0x8c213d9da502de45u, 0x4526f422cc340000u}, {0xaf298d050e4395d6u, 0x9670b12b7f410000u},
    {0xdaf3f04651d47b4cu, 0x3c0cdd765f114000u}, {0x88d8762bf324cd0fu, 0xa5880a69fb6ac800u},
    {0xab0e93b6efee0053u, 0x8eea0d047a457a00u}, {0xd5d238a4abe98068u, 0x72a4904598d6d880u},
    {0x85a36366eb71f041u, 0x47a6da2b7f864750u}, {0xa70c3c40a64e6c51u, 0x999090b65f67d924u},
    {0xd0cf4b50cfe20765u, 0xfff4b4e3f741cf6du},
};

// 64 x 64 bits to 128. C has no wider integer, so it is made of four products of 32 bits where the
// compiler has none either.
static inline Power multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 Wide;
    Wide product = (Wide)a * b;
    return (Power){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, cross = a1 * b0, other = a0 * b1, high = a1 * b1;
    uint64_t middle = cross + (low >> 32) + (uint32_t)other;
    return (Power){high + (middle >> 32) + (other >> 32), middle << 32 | (uint32_t)low};
#endif
}

// floor(log2(10^e)) + 63 for the exponents of the table.
static int binary_exponent(int e)
{
    return ((152170 + 65536) * e >> 16) + 63;
}

static double make_double(uint64_t fraction, int exponent, bool negative)
{
    uint64_t bits = (fraction & ((UINT64_C(1) << 52) - 1)) | (uint64_t)exponent << 52 |
                    (uint64_t)negative << 63;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool round_decimal(const Decimal *decimal, double *out)
{
    int64_t e = decimal->exponent;
    if (decimal->dropped || e < POWER_MIN || e > POWER_MAX)
        return false;
    if (decimal->digits == 0) {
        *out = decimal->negative ? -0.0 : 0.0;
        return true;
    }
    int shift = __builtin_clzll(decimal->digits);
    uint64_t digits = decimal->digits << shift;
    const Power *power = &powers[e - POWER_MIN];
    Power product = multiply(digits, power->high);
    if ((product.high & 0x1FF) == 0x1FF) {
        // The second half of the power can still carry into the bits that count.
        Power more = multiply(digits, power->low);
        product.low += more.high;
        product.high += product.low < more.high;
    }
    int top = (int)(product.high >> 63);
    uint64_t fraction = product.high >> (top + 9);  // 54 bits: one more than a double has
    int exponent = binary_exponent((int)e) + top - shift + 1023;
    bool tie = product.low <= 1 && e >= -4 && e <= 23 && (fraction & 3) == 1 &&
               fraction << (top + 9) == product.high;
    if (tie)
        fraction &= ~UINT64_C(1);
    fraction = (fraction + (fraction & 1)) >> 1;
    if (fraction >> 53) {
        fraction >>= 1;
        exponent++;
    }
    *out = make_double(fraction, exponent, decimal->negative);
    return true;
}

bool decimal_round(const Decimal *decimal, double *out)
{
    return round_decimal(decimal, out);
}

// The whole part of value x 10^e, rounded to the nearest: the 53 bits of the value times the 128 of
// the power. Both are off by less than one in the last of the first 128 bits of the product, so a
// rest that is that near to one half is no evidence.
static bool scale(uint64_t bits, int e, uint64_t *out)
{
    const uint64_t off = 8;
    if (e < POWER_MIN || e > POWER_MAX)
        return false;
    uint64_t fraction = (bits << 11) | UINT64_C(1) << 63;
    Power product = multiply(fraction, powers[e - POWER_MIN].high);
    Power more = multiply(fraction, powers[e - POWER_MIN].low);
    product.low += more.high;
    product.high += product.low < more.high;
    // How many bits of the product's first word come after the point.
    int behind = 1149 - (int)(bits >> 52) - (binary_exponent(e) - 63) - 64;
    if (behind < 1 || behind > 63)
        return false;
    uint64_t half = UINT64_C(1) << (behind - 1), rest = product.high & (2 * half - 1);
    if ((rest == half && product.low < off) || (rest + 1 == half && product.low > UINT64_MAX - off))
        return false;
    *out = (product.high >> behind) + (rest >= half);
    return true;
}

bool decimal_digits(double value, int precision, uint64_t *digits, int *exponent)
{
    static const uint64_t tens[] = {1,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    10000000000,
                                    100000000000,
                                    1000000000000,
                                    10000000000000,
                                    100000000000000,
                                    1000000000000000,
                                    10000000000000000,
                                    100000000000000000};
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int binary = (int)(bits >> 52);
    if (binary < 1 || binary > 2046)
        return false;
    // floor(log10(2^n)), raised by 400 while it is shifted; the value may have one digit more.
    int places = (((binary - 1023) * 78913 + (400 << 18)) >> 18) - 400;
    for (int tries = 0; tries < 2; tries++, places++) {
        if (!scale(bits, precision - 1 - places, digits))
            return false;
        *exponent = places - (precision - 1);
        if (*digits < tens[precision])
            return *digits >= tens[precision - 1];
    }
    return false;
}

static inline const char *take_digits(const char *at, uint64_t *digits)
{
    int count;
    do {
        uint64_t word = digits_load(at);
        count = digits_leading(word);
        if (count == 0)
            break;
        *digits = digits_append(*digits, word, count);
        at += count;
    } while (count == 8);
    return at;
}

// Most statistics have 8 to 20 digits after the point. Their number varies from one to the next,
// so nothing here branches on it.
static inline const char *take_fraction(const char *at, uint64_t *digits)
{
    uint64_t first = digits_load(at), second = digits_load(at + 8), third = digits_load(at + 16);
    if (digits_leading(first) < 8)
        return take_digits(at, digits);
    int in_second = digits_leading(second);
    int in_third = in_second == 8 ? digits_leading(third) : 0;
    uint64_t value = digits_append(*digits, first, 8);
    *digits = digits_append(digits_append(value, second, in_second), third, in_third);
    at += 8 + in_second + in_third;
    return in_third == 8 ? take_digits(at, digits) : at;
}

static const char *take_exponent(const char *at, int64_t *exponent)
{
    const char *start = at + 1;
    bool negative = *start == '-';
    if (*start == '-' || *start == '+')
        start++;
    int64_t value = 0;
    const char *end = start;
    for (; *end >= '0' && *end <= '9'; end++)
        if (value < 100000)
            value = value * 10 + (*end - '0');
    *exponent += negative ? -value : value;
    return end > start ? end : NULL;
}

// Whether the digits from `start` to `end`, without the zeros in front, are more than 19.
static bool too_many(const char *start, const char *end)
{
    while (start < end && (*start == '0' || *start == '.'))
        start++;
    return end - start > (memchr(start, '.', (size_t)(end - start)) ? 20 : 19);
}

static inline const char *scan(const char *at, Decimal *out)
{
    bool negative = *at == '-', real = false;
    const char *start = at + negative;
    uint64_t digits = 0;
    int64_t exponent = 0;
    at = start;
    if (at[1] == '.' && at[0] >= '0' && at[0] <= '9')
        digits = (uint64_t)(*at++ - '0');
    else
        at = take_digits(at, &digits);
    if (at == start || (*start == '0' && at > start + 1))
        return NULL;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = take_fraction(fraction, &digits);
        if (at == fraction)
            return NULL;
        exponent = fraction - at;
        real = true;
    }
    bool dropped = at - start > 19 + real && too_many(start, at);  // the point takes a byte
    if ((*at | 0x20) == 'e') {
        real = true;
        at = take_exponent(at, &exponent);
    }
    *out = (Decimal){digits, exponent, negative, real, dropped};
    return at;
}

const char *decimal_scan(const char *at, Decimal *out)
{
    return scan(at, out);
}

const char *decimal_read(const char *at, double *out)
{
    Decimal decimal;
    at = scan(at, &decimal);
    return at && decimal.real && round_decimal(&decimal, out) ? at : NULL;
}
