/* G2N_ZERO_BLOCK_SIZE zero bytes. */
static inline const void *g2n_zero_block(void)
{
    static const uint64_t zeros[G2N_ZERO_BLOCK_SIZE / 8] = {0};
    return zeros;
}

/* A descriptor of a buffer of `size` bytes, at most G2N_MAX_BUFFER_SIZE; `data` starts at a multiple of 4 bytes, and has
   the shader's fixed part at least. Accesses behind its end read zeros and write nothing. */
static inline g2n_descriptor g2n_buffer(const void *data, uint64_t size)
{
    g2n_descriptor descriptor;
    memset(&descriptor, 0, sizeof descriptor);
    descriptor.kind = G2N_BUFFER;
    descriptor.base = (void *)(uintptr_t)(size ? data : g2n_zero_block());
    descriptor.size = size;
    return descriptor;
}

/* The context of a dispatch of x times y times z workgroups. */
static inline g2n_context g2n_make_context(const g2n_descriptor *descriptors, uint32_t descriptor_count,
    const void *push, uint32_t push_size, uint32_t x, uint32_t y, uint32_t z)
{
    g2n_context context;
    memset(&context, 0, sizeof context);
    context.version = G2N_ABI_VERSION;
    context.size = sizeof context;
    context.groups[0] = x;
    context.groups[1] = y;
    context.groups[2] = z;
    context.descriptor_count = descriptor_count;
    context.push_size = push_size;
    context.descriptors = descriptors;
    context.push = push;
    context.zero_block = g2n_zero_block();
    return context;
}

