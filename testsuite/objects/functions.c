/* Functions out of line give what the same functions in C do. */
#include "functions.h"
#include <stdio.h>
#include <string.h>

#define COUNT 19

static int32_t steps;

static int32_t walk(int32_t from, int32_t to) {
    int32_t sum = 0;
    for (int32_t i = from; i < to; i++) {
        steps++;
        if (i % 3 == 0) continue;
        sum += i * i;
        if (sum > 1000) return -sum;
        if ((sum & 15) == 9) sum ^= 5;
        if (i > 100) break;
    }
    return sum + from;
}

static int32_t expected(int32_t a, int32_t n) {
    steps = 0;
    int32_t r = walk(0, n) + walk(n, n + n);
    if (a > 2)
        r += walk(a, n) + walk(1, a);
    else
        r -= walk(a, a + a) + walk(2, n);
    for (int32_t k = 0; k < a; k++) r += walk(k, a) + walk(k, n) + walk(0, k);
    for (int32_t from = 3; from <= 10; from++) r += walk(from, a) + walk(from, n);
    /* sin² + cos² + log2 8 */
    return r + 10000 * 4 + steps * 100000;
}

int main(void) {
    int32_t x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = i - 2;
    memset(y, 0, sizeof y);
    g2n_descriptor buffers[FUNCTIONS_DESCRIPTOR_COUNT];
    memset(buffers, 0, sizeof buffers);
    buffers[functions_slot_In] = g2n_buffer(x, sizeof x);
    buffers[functions_slot_Out] = g2n_buffer(y, sizeof y);
    functions_Push push = {12};
    if (functions_dispatch(buffers, &push, NULL, (COUNT + FUNCTIONS_LOCAL_SIZE_X - 1) / FUNCTIONS_LOCAL_SIZE_X, 1, 1) != G2N_DONE)
        return 2;
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        int32_t should = expected(x[i], push.n);
        if (y[i] != should && wrong++ < 10)
            printf("%d: %d, not %d\n", (int)x[i], (int)y[i], (int)should);
    }
    printf("checked %d, wrong %d\n", COUNT, wrong);
    return wrong != 0;
}
