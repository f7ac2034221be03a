/* Runs saxpy through its object and compares with the same sum in C. Buffers end in the middle of a subgroup, and words
   behind them must stay as they are. */
#include "saxpy.h"
#include <stdio.h>

#define COUNT 1003
#define GUARD 16

static float x[COUNT], y[COUNT + GUARD], expected[COUNT];

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i + 1);
        expected[i] = 0.5f * x[i] + y[i];
    }
    for (int i = 0; i < GUARD; i++)
        y[COUNT + i] = -1;
    g2n_descriptor descriptors[SAXPY_DESCRIPTOR_COUNT];
    descriptors[saxpy_slot_X] = g2n_buffer(x, sizeof x);
    descriptors[saxpy_slot_Y] = g2n_buffer(y, COUNT * sizeof y[0]);
    saxpy_PC push = {COUNT, 0.5f};
    uint32_t groups = (COUNT + SAXPY_LOCAL_SIZE_X - 1) / SAXPY_LOCAL_SIZE_X;
    if (saxpy_dispatch(descriptors, &push, NULL, groups, 1, 1) != G2N_DONE)
        return 2;
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += y[i] != expected[i];
    for (int i = 0; i < GUARD; i++)
        wrong += y[COUNT + i] != -1;
    printf("checked %d, wrong %d\n", COUNT + GUARD, wrong);

    /* An interrupted dispatch says so, and leaves everything as it is. */
    uint32_t interrupt = 1;
    g2n_context context = g2n_make_context(descriptors, SAXPY_DESCRIPTOR_COUNT, &push, sizeof push, groups, 1, 1);
    context.interrupt = &interrupt;
    if (saxpy(&context, NULL, 0, groups) != G2N_INTERRUPTED || y[1] != expected[1])
        return 3;
    return wrong != 0;
}
