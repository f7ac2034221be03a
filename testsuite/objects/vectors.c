/* Numbers that are all different go through vectors of every kind; each must come out where it belongs. */
#include "vectors.h"
#include <stdio.h>

#define COUNT 64

static vectors_From from[COUNT];
static vectors_To to[COUNT];
static float pairs[COUNT][2];
_Alignas(VECTORS_SCRATCH_ALIGN) static char scratch[VECTORS_SCRATCH_SIZE];

static int wrong, checked;

static void check(const char *what, int i, float is, float should)
{
    checked++;
    if (is != should && wrong++ < 10)
        printf("%s of %d is %g, not %g\n", what, i, is, should);
}

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 2; k++) {
            from[i].a[k] = (float)(1000 + 2 * i + k);
            from[i].b[k] = (float)(2000 + 2 * i + k);
            pairs[i][k] = (float)(3000 + 2 * i + k);
        }
        from[i].other = (uint32_t)(i * 37 % COUNT);
    }
    g2n_descriptor descriptors[VECTORS_DESCRIPTOR_COUNT];
    descriptors[vectors_slot_Source] = g2n_buffer(from, sizeof from);
    descriptors[vectors_slot_Target] = g2n_buffer(to, sizeof to);
    descriptors[vectors_slot_Pairs] = g2n_buffer(pairs, sizeof pairs);
    if (vectors_dispatch(descriptors, scratch, COUNT / VECTORS_LOCAL_SIZE_X, 1, 1) != G2N_DONE)
        return 2;
    for (int i = 0; i < COUNT; i++) {
        int other = (int)from[i].other, turned = i / 32 * 32 + 31 - i % 32, hits = 0;
        for (int j = 1; j < COUNT; j += 2)
            hits += (int)from[j].other == i;
        for (int k = 0; k < 2; k++) {
            check("pair", i, to[i].pair[k], from[i].a[k]);
            check("gathered", i, to[i].gathered[k], from[other].b[k]);
            check("wide", i, to[i].wide[k], from[other].a[k]);
            check("turned", i, to[i].wide[2 + k], from[turned].b[k]);
            check("three", i, to[i].three[k], from[i].b[1 - k]);
            check("pairs", i, pairs[i][k], (float)(3000 + 2 * i + 1 - k) + from[i].a[k]);
        }
        check("three", i, to[i].three[2], (float)other);
        check("count", i, (float)to[i].count, (float)hits);
    }
    printf("checked %d, wrong %d\n", checked, wrong);
    return wrong != 0;
}
