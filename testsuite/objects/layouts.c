/* Fills the blocks through the header's structs with 1, 2, 3 ... in the order in which the shader copies them out. */
#include "layouts.h"
#include <stdio.h>
#include <stdlib.h>

static float next = 1;

static void fill(float *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = next++;
}

#define FILL_LIGHT(light) \
    do { \
        fill((light).position, 3); \
        (light).power = next++; \
        (light).id[0] = (uint32_t)next++; \
        (light).id[1] = (uint32_t)next++; \
    } while (0)

int main(void)
{
    layouts_Std140 u;
    memset(&u, 0xff, sizeof u);
    u.a = next++;
    fill(u.b, 3);
    for (int i = 0; i < 3; i++)
        u.c[i][0] = next++;
    for (int i = 0; i < 2; i++)
        fill(u.d[i], 2);
    for (int i = 0; i < 3; i++)
        fill(u.e[i], 3);
    for (int column = 0; column < 2; column++)
        for (int row = 0; row < 3; row++)
            u.f[row][column] = next++;
    for (int i = 0; i < 2; i++)
        FILL_LIGHT(u.g[i]);
    for (int i = 0; i < 2; i++)
        u.h[i].alone = next++;
    for (int i = 0; i < 4; i++)
        u.private_[i] = (int32_t)next++;
    u.last = (uint32_t)next++;

    size_t size = offsetof(layouts_Std430, lights) + 2 * sizeof(((layouts_Std430 *)0)->lights[0]);
    layouts_Std430 *s = malloc(size);
    if (!s)
        return 2;
    memset(s, 0xff, size);
    fill(s->a, 3);
    s->b = next++;
    fill(s->c, 3);
    for (int i = 0; i < 2; i++)
        fill(s->d[i], 3);
    for (int i = 0; i < 2; i++)
        fill(s->e[i], 2);
    for (int i = 0; i < 4; i++)
        fill(s->f[i], 3);
    FILL_LIGHT(s->g);
    for (int i = 0; i < 2; i++)
        s->h[i].alone = next++;
    s->count = (uint32_t)next++;
    for (int i = 0; i < 2; i++)
        FILL_LIGHT(s->lights[i]);

    layouts_register_points points[3];
    memset(points, 0xff, sizeof points);
    for (int i = 0; i < 3; i++)
        fill(points[i], 3);

    layouts_Push push;
    memset(&push, 0xff, sizeof push);
    push.NULL_ = next++;
    fill(push.virtual_, 2);
    for (int i = 0; i < 2; i++)
        fill(push.m[i], 2);

    int count = (int)next - 1;
    float *result = malloc((size_t)count * sizeof *result);
    if (!result)
        return 2;
    memset(result, 0, (size_t)count * sizeof *result);
    g2n_descriptor descriptors[LAYOUTS_DESCRIPTOR_COUNT];
    descriptors[layouts_slot_u] = g2n_buffer(&u, sizeof u);
    descriptors[layouts_slot_s] = g2n_buffer(s, size);
    descriptors[layouts_slot_result] = g2n_buffer(result, (uint64_t)count * sizeof *result);
    descriptors[layouts_slot_points] = g2n_buffer(NULL, 0);
    descriptors[layouts_slot_points + 1] = g2n_buffer(points, sizeof points);
    if (layouts_dispatch(descriptors, &push, NULL, 1, 1, 1) != G2N_DONE)
        return 2;
    int wrong = 0;
    for (int i = 0; i < count; i++)
        if (result[i] != (float)(i + 1) && wrong++ < 10)
            printf("value %d is %g\n", i + 1, result[i]);
    printf("checked %d, wrong %d\n", count, wrong);
    free(s);
    free(result);
    return wrong != 0;
}
