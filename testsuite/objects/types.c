/* Numbers of 8, 16 and 64 bits go through memory of every kind, in the byte order of the machine. */
#include "types.h"
#include <stdio.h>

#define COUNT 64

static int8_t bytes[COUNT][4], turned[COUNT][4];
static uint8_t small[COUNT];
static int16_t halves[COUNT];
static uint16_t floats[COUNT][2];
static int64_t wide[COUNT];
static double doubles[COUNT];
static int32_t to[COUNT][8];
_Alignas(TYPES_SCRATCH_ALIGN) static char scratch[TYPES_SCRATCH_SIZE];

static int wrong, checked;

static void check(const char *what, int i, double is, double should)
{
    checked++;
    if (is != should && wrong++ < 10)
        printf("%s of %d is %g, not %g\n", what, i, is, should);
}

/* The bits of a small number as a 16-bit float. */
static uint16_t half(int n)
{
    int e = 0;
    while (n >> (e + 1))
        e++;
    return (uint16_t)(n == 0 ? 0 : (e + 15) << 10 | ((n << (10 - e)) & 0x3ff));
}

static int byte_of(int i, int k)
{
    return (i * 5 + k * 67) % 256 - 128;
}

static int64_t wide_of(int i)
{
    return ((int64_t)(i - 20) << 33) + i * 77;
}

int main(void)
{
    static const int64_t table[3] = {0x100000002, 0x300000004, -1};
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 4; k++) {
            bytes[i][k] = (int8_t)byte_of(i, k);
            turned[i][k] = 99;
        }
        small[i] = (uint8_t)(i * 3);
        halves[i] = (int16_t)(i * 700 - 20000);
        floats[i][0] = half(i);
        floats[i][1] = half(2 * i + 1);
        wide[i] = wide_of(i);
        doubles[i] = i * 1.25;
    }
    g2n_descriptor descriptors[TYPES_DESCRIPTOR_COUNT];
    descriptors[types_slot_Bytes] = g2n_buffer(bytes, sizeof bytes);
    descriptors[types_slot_Small] = g2n_buffer(small, sizeof small);
    descriptors[types_slot_Halves] = g2n_buffer(halves, sizeof halves);
    descriptors[types_slot_Floats] = g2n_buffer(floats, sizeof floats);
    descriptors[types_slot_Wide] = g2n_buffer(wide, sizeof wide);
    descriptors[types_slot_Doubles] = g2n_buffer(doubles, sizeof doubles);
    descriptors[types_slot_Turned] = g2n_buffer(turned, sizeof turned);
    descriptors[types_slot_Target] = g2n_buffer(to, sizeof to);
    if (types_dispatch(descriptors, scratch, COUNT / TYPES_LOCAL_SIZE_X, 1, 1) != G2N_DONE)
        return 2;
    int from[COUNT];
    for (int i = 0; i < COUNT; i++)
        from[i] = -1;
    for (int i = 0; i < COUNT; i += 3)
        from[i * 5 % COUNT] = i;
    for (int i = 0; i < COUNT; i++) {
        int64_t other = wide_of(i / 16 * 16 + 15 - i % 16);
        check("parts", i, to[i][0], byte_of(i, 0) * 1000 + byte_of(i, 3));
        check("gathered", i, to[i][1], byte_of(i * 7 % COUNT, 1));
        check("low word", i, to[i][2], (int32_t)(uint32_t)other);
        check("high word", i, to[i][3], (int32_t)(uint32_t)((uint64_t)other >> 32));
        check("table", i, to[i][4], (int32_t)(table[i % 3] >> 32));
        check("table", i, to[i][5], (int32_t)(uint32_t)table[i % 3]);
        check("sum", i, to[i][6], 3 * i + 1);
        check("quotient", i, to[i][7], (int32_t)((double)wide_of(i) / 1048576.0));
        check("small", i, small[i], (uint8_t)(i * 3 + 200));
        check("halves", i, halves[i], (int16_t)((uint16_t)(i * 700 - 20000) * 3u));
        check("floats", i, floats[i][0], half(4 * i + 2));
        check("floats", i, floats[i][1], half(2 * i));
        check("wide", i, (double)wide[i], (double)(wide_of(i) * 3 + byte_of(i, 2)));
        check("doubles", i, doubles[i], i * 0.625 + byte_of(i, 1));
        for (int k = 0; k < 4; k++)
            check("turned", i, turned[i][k], from[i] < 0 ? 99 : byte_of(from[i], 3 - k));
    }
    printf("checked %d, wrong %d\n", checked, wrong);
    return wrong != 0;
}
