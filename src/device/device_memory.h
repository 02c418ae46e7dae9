/* SPDX-License-Identifier: BSD-3-Clause */
/* A device and its memory. Includer: a runtime first. */
#ifndef TW_DEVICE_MEMORY_H
#define TW_DEVICE_MEMORY_H

#include <assert.h>
#include <string.h>

#include "device/device.h"

/* An array of the device: where its address is kept, in the host's copy of the world, and its
 * length. */
typedef struct tw_device_array {
    void *at;
    void *room;
    size_t bytes;     /* allocated */
    size_t need;      /* asked for */
    size_t at_peak;   /* `need` when most memory was needed */
    const char *name; /* how the code calls it */
} tw_device_array;

typedef struct tw_device_block {
    void *room;
    size_t bytes;
} tw_device_block;

enum { TW_DEVICE_ARRAYS = 192, TW_DEVICE_BLOCKS = 64 };

struct tw_device_instance {
    tw_device head;
    tw_device_runtime runtime;
    tw_device_world
        host; /* the host's mirror of it: arrays of the device, numbers as last brought */
    tw_device_world *world; /* in the memory of the device */
    tw_device_array array[TW_DEVICE_ARRAYS];
    size_t arrays;
    tw_device_block scratch[TW_DEVICE_BLOCKS]; /* workspace of the search, in blocks */
    size_t blocks, block, block_used;
    size_t scratch_used, scratch_peak; /* bytes of it in use, and the most so far */
    size_t bytes;                      /* of all */
    size_t peak;                       /* the most that arrays and workspace needed together, */
    size_t scratch_at_peak;            /* and of this the workspace */
    size_t left, bytes_of_left;        /* memory that was left, when `bytes` was this */
    int slippery;                      /* no contact has friction */
    int stored;                        /* the energies stored in contacts are known */
    void *saved;                       /* bodies and contacts, while some come and go */
    uint32_t spare;                    /* contact slots of a tile beyond those in use, at least */
    int tight;                         /* tw_device_tiling_is_tight, of the last search */
    int tile_overflowed;               /* a tile was full since the last search */
    uint64_t overflow_count;           /* how often one was full */
    struct tw_events *events; /* of the host, for those of contacts; NULL: they are not recorded */
    uint32_t batch;           /* steps to start at a time: as many as passed lately; 0: not known */
};

static inline tw_device_array *tw_device_memory_find(tw_device_instance *d, void *at)
{
    for (size_t k = 0; k < d->arrays; k++)
        if (d->array[k].at == at) return &d->array[k];
    assert(d->arrays < TW_DEVICE_ARRAYS && "too many arrays of a device");
    tw_device_array *array = &d->array[d->arrays++];
    array->at = at;
    array->room = NULL;
    array->bytes = array->need = array->at_peak = 0;
    array->name = "";
    return array;
}

/* Keeps the needs of a peak. */
static inline void tw_device_memory_note(tw_device_instance *d)
{
    size_t sum = d->scratch_used;
    for (size_t k = 0; k < d->arrays; k++)
        sum += d->array[k].need;
    if (sum <= d->peak) return;
    d->peak = sum;
    d->scratch_at_peak = d->scratch_used;
    for (size_t k = 0; k < d->arrays; k++)
        d->array[k].at_peak = d->array[k].need;
}

/* Bytes that are allocated for an array of `bytes`: a quarter more, so that a list that grows a
 * little does not allocate; as much as asked for where memory is short. */
static inline size_t tw_device_memory_length(size_t bytes)
{
    return bytes < ((size_t)1 << 28) ? bytes + bytes / 4 + 64 : bytes + 64;
}

/* Room for `bytes` bytes in the array whose address is kept in the pointer at `at`, a member of
 * d->host. What was in it is lost if it grows, except for the first `keep` bytes. 0: no memory,
 * and nothing has changed. The caller pushes the world afterwards. */
static inline int tw_device_memory_reserve_kept(tw_device_instance *d, void *at, const char *name,
                                                size_t bytes, size_t keep)
{
    tw_device_array *array = tw_device_memory_find(d, at);
    array->name = name;
    if (bytes > array->bytes || !array->room) {
        const size_t more = tw_device_memory_length(bytes);
        if (keep == 0) { /* the old one makes room for the new one */
            tw_device_runtime_free(&d->runtime, array->room, array->bytes);
            d->bytes -= array->bytes;
            array->room = NULL;
            array->bytes = array->need = 0;
        }
        void *room = tw_device_runtime_alloc(&d->runtime, more);
        if (!room) {
            memcpy(at, &array->room, sizeof room);
            return 0;
        }
        if (keep > 0) {
            tw_device_runtime_copy(&d->runtime, room, array->room, keep);
            tw_device_runtime_free(&d->runtime, array->room, array->bytes);
            d->bytes -= array->bytes;
        }
        array->room = room;
        array->bytes = more;
        d->bytes += more;
    }
    memcpy(at, &array->room, sizeof array->room); /* a pointer of any type */
    array->need = bytes;
    tw_device_memory_note(d);
    return 1;
}

static inline void tw_device_memory_drop(tw_device_instance *d, void *at)
{
    tw_device_array *array = tw_device_memory_find(d, at);
    tw_device_runtime_free(&d->runtime, array->room, array->bytes);
    d->bytes -= array->bytes;
    array->room = NULL;
    array->bytes = array->need = 0;
    memcpy(at, &array->room, sizeof array->room);
}

/* Arrays, reserved one after the other, or only counted. */
typedef struct tw_device_rooms {
    tw_device_instance *device; /* NULL: they are only counted */
    size_t bytes;
    int failed;
} tw_device_rooms;

/* Room for `count` entries, of which the first `keep` are kept; none: the array is dropped. */
static inline void tw_device_memory_room(tw_device_rooms *rooms, void *at, const char *name,
                                         size_t count, size_t size, size_t keep)
{
    const size_t bytes = count * size;
    if (count > 0) rooms->bytes += tw_device_memory_length(bytes);
    if (!rooms->device || rooms->failed) return;
    if (count == 0)
        tw_device_memory_drop(rooms->device, at);
    else
        rooms->failed = !tw_device_memory_reserve_kept(rooms->device, at, name, bytes, keep * size);
}

/* A member of the world `w`. */
#define TW_DEVICE_ROOM(member, count)                                                              \
    tw_device_memory_room(rooms, &w->member, #member, count, sizeof *w->member, 0)

/* Array `number` of 0, 1, 2 ...: bytes that it needs now, and needed at the peak; after the arrays
 * the workspace. 0: no such array. */
static inline int tw_device_memory_array(tw_device_instance *d, size_t number, const char **name,
                                         size_t *bytes, size_t *peak)
{
    if (number > d->arrays) return 0;
    if (number == d->arrays) {
        *name = "workspace";
        *bytes = d->scratch_used;
        *peak = d->scratch_at_peak;
        return 1;
    }
    *name = d->array[number].name;
    *bytes = d->array[number].need;
    *peak = d->array[number].at_peak;
    return 1;
}

/* Workspace, until the next reset. NULL: no memory. */
static inline void *tw_device_memory_scratch(tw_device_instance *d, size_t count, size_t size)
{
    const size_t bytes = (count * size + 255) / 256 * 256 + 256;
    d->scratch_used += bytes;
    if (d->scratch_used > d->scratch_peak) d->scratch_peak = d->scratch_used;
    tw_device_memory_note(d);
    for (; d->block < d->blocks; d->block++, d->block_used = 0) {
        tw_device_block *block = &d->scratch[d->block];
        if (block->bytes - d->block_used < bytes) continue;
        void *room = (char *)block->room + d->block_used;
        d->block_used += bytes;
        return room;
    }
    if (d->blocks == TW_DEVICE_BLOCKS) return NULL;
    const size_t least = (size_t)1 << 22, length = bytes > least ? bytes : least;
    tw_device_block *block = &d->scratch[d->blocks];
    block->room = tw_device_runtime_alloc(&d->runtime, length);
    if (!block->room) return NULL;
    block->bytes = length;
    d->bytes += length;
    d->block = d->blocks++;
    d->block_used = bytes;
    return block->room;
}

/* Likewise for `count` entries of a pointer; 0: no memory. */
static inline int tw_device_memory_scratch_for(tw_device_instance *d, void *at, size_t count,
                                               size_t size)
{
    void *room = tw_device_memory_scratch(d, count, size);
    memcpy(at, &room, sizeof room); /* a pointer of any type */
    return room != NULL;
}

#define TW_DEVICE_SCRATCH(pointer, count)                                                          \
    tw_device_memory_scratch_for(d, &(pointer), count, sizeof *(pointer))

/* A position in the workspace, to return to: what was taken since is free again. */
typedef struct tw_device_memory_mark {
    size_t block, block_used, used;
} tw_device_memory_mark;

static inline tw_device_memory_mark tw_device_memory_here(const tw_device_instance *d)
{
    const tw_device_memory_mark mark = {d->block, d->block_used, d->scratch_used};
    return mark;
}

static inline void tw_device_memory_go_back(tw_device_instance *d, tw_device_memory_mark mark)
{
    d->block = mark.block;
    d->block_used = mark.block_used;
    d->scratch_used = mark.used;
}

static inline void tw_device_memory_scratch_free(tw_device_instance *d)
{
    for (size_t k = 0; k < d->blocks; k++) {
        tw_device_runtime_free(&d->runtime, d->scratch[k].room, d->scratch[k].bytes);
        d->bytes -= d->scratch[k].bytes;
    }
    d->blocks = d->block = d->block_used = d->scratch_used = 0;
}

/* Several blocks become one, with a little more than was needed so far. */
static inline void tw_device_memory_scratch_reset(tw_device_instance *d)
{
    const size_t most = d->scratch_peak, more = most < ((size_t)1 << 28) ? most / 4 : most / 16;
    if (d->blocks > 1) {
        tw_device_memory_scratch_free(d);
        (void)tw_device_memory_scratch(d, most + more, 1);
        d->scratch_peak = most;
    }
    d->block = d->block_used = d->scratch_used = 0;
}

/* The world to the device. */
static inline void tw_device_memory_push(tw_device_instance *d)
{
    tw_device_runtime_send(&d->runtime, d->world, &d->host, sizeof d->host);
}

/* Back: only if phases have run since. */
static inline void tw_device_memory_pull(tw_device_instance *d)
{
    if (!d->runtime.stale) return;
    tw_device_runtime_bring(&d->runtime, &d->host, d->world, sizeof d->host);
    d->runtime.stale = 0;
}

#endif
