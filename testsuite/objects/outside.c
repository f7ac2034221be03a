/* A kernel that calls functions of the program: one that computes an instruction, and one that gets what is printed. */

#include "outside.h"
#include <stdio.h>

static unsigned calls, prints, wrong;

static void check(int good, const char *what)
{
    if (!good) {
        ++wrong;
        printf("wrong: %s\n", what);
    }
}

/* Component c of lane l is at words[c * OUTSIDE_SUBGROUP_SIZE + l]. */
static void mix_in(void *data, uint64_t active, const void *args, void *results)
{
    const uint32_t *words = args;
    uint32_t *out = results;
    check(data == &calls, "data of the function");
    ++calls;
    for (unsigned lane = 0; lane < OUTSIDE_SUBGROUP_SIZE; ++lane) {
        if (active >> lane & 1) {
            uint32_t a = words[lane];
            float x, y;
            memcpy(&x, &words[1 * OUTSIDE_SUBGROUP_SIZE + lane], sizeof x);
            memcpy(&y, &words[2 * OUTSIDE_SUBGROUP_SIZE + lane], sizeof y);
            out[lane] = a + (uint32_t)((x + y) * 2) * words[3 * OUTSIDE_SUBGROUP_SIZE + lane];
        }
    }
}

static void print(void *data, uint64_t number, uint64_t active, const void *args)
{
    const uint32_t *words = args;
    check(data == &prints && number == 0, "data of the sink");
    check(strcmp(outside_prints[number][0], "data %u of %v2f, \"quoted\" 100%%") == 0, "format");
    check(strcmp(outside_prints[number][1], "uint, vec2") == 0, "types");
    for (unsigned lane = 0; lane < OUTSIDE_SUBGROUP_SIZE; ++lane) {
        if (active >> lane & 1) {
            float x;
            ++prints;
            check(words[lane] == 4, "invocation");
            check(words[3 * OUTSIDE_SUBGROUP_SIZE + lane] == 104, "argument");
            memcpy(&x, &words[5 * OUTSIDE_SUBGROUP_SIZE + lane], sizeof x);
            check(x == -2.0f, "vector");
        }
    }
}

int main(void)
{
    enum { COUNT = 12 };
    uint32_t data[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i)
        data[i] = 100 + i;
    g2n_descriptor descriptors[OUTSIDE_DESCRIPTOR_COUNT] = {g2n_buffer(data, sizeof data)};
    g2n_context context = g2n_make_context(descriptors, OUTSIDE_DESCRIPTOR_COUNT, NULL, 0, 2, 1, 1);
    g2n_host_function functions[OUTSIDE_HOST_FUNCTION_COUNT] = {{mix_in, &calls}};
    static uint64_t scratch[OUTSIDE_SCRATCH_SIZE / 8 + 1];

    /* Without the function nothing runs. */
    check(outside(&context, scratch, 0, 2) == G2N_NO_FUNCTION, "a missing table");
    context.host_functions = functions;
    check(outside(&context, scratch, 0, 2) == G2N_NO_FUNCTION, "an empty table");
    context.host_function_count = OUTSIDE_HOST_FUNCTION_COUNT;
    functions[0].call = NULL;
    check(outside(&context, scratch, 0, 2) == G2N_NO_FUNCTION, "a null function");
    functions[0].call = mix_in;
    check(calls == 0 && data[0] == 100, "nothing was run");

    check(outside(&context, scratch, 0, 2) == G2N_DONE, "status");
    for (uint32_t i = 0; i < COUNT; ++i)
        check(data[i] == (i % 3 == 1 ? 100 + i : 100 + i + (2 * i + 1) * 7), "a result");
    check(calls > 0 && prints == 0, "calls");

    /* Invocation 4 does not change its own element, so a second run prints the same. */
    context.print.call = print;
    context.print.data = &prints;
    check(outside(&context, scratch, 0, 2) == G2N_DONE && prints == 1, "one print");
    printf("checked %d, wrong %u\n", COUNT, wrong);
    return 0;
}
