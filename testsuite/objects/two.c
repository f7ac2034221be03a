/* Two kernels in one program: rows are transposed by one, then summed by the other, which has barriers and scratch memory. */
#include "transpose.h"
#include "row_sums.h"
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 40
#define HEIGHT 7

static float in[HEIGHT * WIDTH], turned[WIDTH * HEIGHT], sums[WIDTH];

int main(void)
{
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        in[i] = (float)((i * 7) % 31);
    g2n_descriptor a[TRANSPOSE_DESCRIPTOR_COUNT];
    a[transpose_slot_src] = g2n_buffer(in, sizeof in);
    a[transpose_slot_dst] = g2n_buffer(turned, sizeof turned);
    transpose_Size size = {{WIDTH, HEIGHT}};
    if (transpose_dispatch(a, &size, NULL, (WIDTH + TRANSPOSE_LOCAL_SIZE_X - 1) / TRANSPOSE_LOCAL_SIZE_X, HEIGHT, 1))
        return 2;

    g2n_descriptor b[ROW_SUMS_DESCRIPTOR_COUNT];
    b[row_sums_slot_Rows] = g2n_buffer(turned, sizeof turned);
    b[row_sums_slot_Sums] = g2n_buffer(sums, sizeof sums);
    row_sums_Row row = {HEIGHT};
    G2N_ASSERT(ROW_SUMS_SCRATCH_SIZE > 0 && ROW_SUMS_SPEC_SCALE == 3);
    size_t bytes = (ROW_SUMS_SCRATCH_SIZE + ROW_SUMS_SCRATCH_ALIGN - 1) / ROW_SUMS_SCRATCH_ALIGN * ROW_SUMS_SCRATCH_ALIGN;
    void *scratch = aligned_alloc(ROW_SUMS_SCRATCH_ALIGN, bytes);
    if (!scratch || row_sums_dispatch(b, &row, scratch, WIDTH, 1, 1))
        return 2;
    free(scratch);

    int wrong = 0;
    for (int x = 0; x < WIDTH; x++) {
        float sum = 0;
        for (int y = 0; y < HEIGHT; y++)
            sum += in[y * WIDTH + x];
        wrong += sums[x] != 3 * sum;
    }
    printf("checked %d, wrong %d\n", WIDTH, wrong);
    return wrong != 0;
}
