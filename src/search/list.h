/* SPDX-License-Identifier: BSD-3-Clause */
/* The pair list of the reference state, lists of contacts, and the errors of both. */
#ifndef TW_SEARCH_LIST_H
#define TW_SEARCH_LIST_H

#include "world/schedule.h"
#include "world/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Contacts apart from a neighbour list: on their way from one list to the next, to or from a file,
 * or from a caller. */

typedef struct tw_contact_list {
    tw_pair *pair;             /* spheres by the present order of bodies */
    tw_contact_memory *memory; /* NULL: in the contact slots of the state */
    uint32_t *slot;   /* memory is NULL: the present slot of each; otherwise the slot to assign,
                         counted from the first of its tile, TW_NO_SLOT: none, the list has the pair
                         and that is all, or NULL: any, in the order of pairs */
    double *extra;    /* the parts in use, as tw_contact_extra_of has them; NULL: none, or where
                         memory is NULL, in the slots too */
    uint32_t parts;   /* in use, as in tw_extras */
    uint8_t *sliding; /* NULL: unknown */
    size_t count;
} tw_contact_list;

/* The extras of a contact in a list. */
TW_INLINE tw_contact_parts tw_contact_list_get(const tw_contact_list *list, size_t k)
{
    if (!list->extra) return tw_contact_parts_unpack(0, NULL);
    return tw_contact_parts_unpack(list->parts,
                                   list->extra + k * tw_contact_parts_numbers(list->parts));
}

TW_INLINE void tw_contact_list_put(const tw_contact_list *list, size_t k,
                                   const tw_contact_parts *parts)
{
    if (list->extra)
        tw_contact_parts_pack(parts, list->parts,
                              list->extra + k * tw_contact_parts_numbers(list->parts));
}

/* A list of `count` contacts with these extras, all zero, in memory of its own. 0: no memory. The
 * caller frees it in either case. */
int tw_contact_list_make(tw_contact_list *list, size_t count, uint32_t parts);
void tw_contact_list_free(tw_contact_list *list);

/* Keeps these parts alone. */
void tw_contact_list_keep(tw_contact_list *list, uint32_t parts);

/* The present contacts, in the order of pairs, with room for `more`, and for these parts of extras
 * besides those there are. `far`: and the other pairs that tw_list_is_far. 0: no memory. The caller
 * frees them in either case. */
int tw_contact_list_gather(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, int far, size_t more, uint32_t parts,
                           tw_contact_list *list);

/* Whether the present contacts and far pairs are these, in this order and in these slots. */
int tw_contact_list_holds(const tw_contact_list *list, const tw_model *model, const tw_state *state,
                          const tw_schedule *schedule);

/* The pair list of the reference state. */

/* Bounding radius of body i [m]. */
TW_INLINE double tw_list_bound(const tw_model *model, const tw_state *state, size_t i)
{
    return state->bodies.size[i] * model->shapes[state->bodies.shape[i]].radius;
}

/* Pairs with a gap below this are listed [m]: nearer than the skin to touching by some law, */
TW_INLINE double tw_list_margin(const tw_model *model, const tw_state *state)
{
    return state->skin - tw_model_begin(model);
}

/* or by that of these materials. */
TW_INLINE double tw_list_margin_between(const tw_model *model, const tw_state *state, uint32_t a,
                                        uint32_t b)
{
    return state->skin - tw_contact_law_begin(&model->laws[tw_model_law(model, a, b)]);
}

/* Whether spheres p and q are a pair. `from`: centre of p, seen from the image of q. */
TW_INLINE int tw_list_is_near(tw_vec3 from, double radius_p, tw_vec3 q, double radius_q,
                              double margin)
{
    const tw_vec3 b = tw_vec3_sub(q, from);
    const double reach = radius_p + radius_q + margin;
    return tw_vec3_dot(b, b) < reach * reach;
}

/* Lists the pairs of sphere p with a wall of which an element is closer than `reach` to its centre.
 * Returns their number; `out` has room for them, or is NULL. */
TW_INLINE uint32_t tw_list_wall(const tw_model *model, const tw_state *state, uint32_t wall,
                                uint32_t p, tw_vec3 centre, double reach, tw_pair *out)
{
    const tw_wall *w = &state->walls[wall];
    if (w->absent) return 0;
    uint32_t *element = (uint32_t *)(void *)out; /* then each becomes a pair, from the last on */
    const uint32_t count = tw_surface_list(model, w, centre, reach, element, out ? UINT32_MAX : 0);
    for (uint32_t k = count; out && k-- > 0;)
        out[k] = tw_pair_with_wall(p, wall, element[k], w->surface);
    return count;
}

/* Centre of a sphere in the reference state. */
TW_INLINE tw_vec3 tw_list_centre(const tw_bodies *b, const tw_spheres *s, uint32_t sphere)
{
    const uint32_t i = s->body[sphere];
    if (s->first[i + 1] == s->first[i] + 1) return b->x_ref[i];
    const tw_mat3 r = tw_quat_matrix(b->q_ref[i]);
    return tw_vec3_add(b->x_ref[i], tw_mat3_mul_vec(r, s->offset[sphere]));
}

/* Whether spheres of the list were too far apart for it in the reference state: they were in
 * contact then. The pair stays when they are no more, and belongs to the state until the next
 * search: tiles without it would have other ghosts, and sums other bits. */
TW_INLINE int tw_list_is_far(const tw_model *model, const tw_state *state,
                             const tw_schedule *schedule, const tw_pair *pair)
{
    const tw_spheres *s = &schedule->spheres;
    const uint32_t *material = state->bodies.material;
    if (!(state->contacts.extras.parts & TW_CONTACT_EXTRA_ALIVE) || tw_pair_is_wall(pair)) return 0;
    const tw_vec3 p = tw_list_centre(&state->bodies, s, pair->p),
                  q = tw_list_centre(&state->bodies, s, pair->q),
                  from = tw_vec3_sub(p, tw_cell_offset(&state->cell.h_ref, pair->shift));
    return !tw_list_is_near(from, s->radius[pair->p], q, s->radius[pair->q],
                            tw_list_margin_between(model, state, material[s->body[pair->p]],
                                                   material[s->body[pair->q]]));
}

/* The canonical order among the pairs of a body. */
TW_INLINE int tw_list_compare(const tw_spheres *spheres, const tw_pair *a, const tw_pair *b)
{
    const int wall = tw_pair_is_wall(a);
    if (wall != tw_pair_is_wall(b)) return wall ? 1 : -1;
    const uint32_t qa = wall ? a->q : spheres->body[a->q], qb = wall ? b->q : spheres->body[b->q];
    if (qa != qb) return qa < qb ? -1 : 1;
    const uint32_t sa = wall ? 0 : tw_shift_key(a->shift), sb = wall ? 0 : tw_shift_key(b->shift);
    if (sa != sb) return sa < sb ? -1 : 1;
    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    const uint32_t ea = wall ? tw_pair_element(a) : a->q, eb = wall ? tw_pair_element(b) : b->q;
    return ea < eb ? -1 : ea > eb;
}

/* TW_NO_PAIR: it is not in the list. */
TW_INLINE uint32_t tw_list_find_pair(const tw_spheres *spheres, const tw_pairs *pairs,
                                     const tw_pair *wanted)
{
    const uint32_t body = spheres->body[wanted->p], end = pairs->first[body + 1];
    uint32_t low = pairs->first[body], high = end;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (tw_list_compare(spheres, &pairs->pair[mid], wanted) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < end && tw_list_compare(spheres, &pairs->pair[low], wanted) == 0) return low;
    return TW_NO_PAIR;
}

/* Fills schedule->pairs from x_ref, h_ref and the centres of the spheres in the reference state. */
tw_status tw_list_make(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                       const tw_vec3 *centres, tw_error *error);

/* Finds the pair of each contact, and lists those that are too far apart for the list but live, by
 * laws of which that is known; the numbers are in scratch memory. */
tw_status tw_list_find(const tw_state *state, tw_schedule *schedule,
                       const tw_contact_list *contacts, uint32_t **pairs, tw_error *error);

/* Errors of a search, wherever it runs. */

/* The cell has no volume, or is not finite. */
tw_status tw_search_error_cell(const tw_state *state, tw_error *error);

/* The position of this body is not finite. */
tw_status tw_search_error_body(const tw_state *state, uint32_t id, tw_error *error);

/* Images of the cell cannot be numbered. */
tw_status tw_search_error_narrow(tw_error *error);

/* A contact is not in the list: that of bodies with these ids, or of a body and wall q. */
tw_status tw_search_error_lost(const tw_state *state, uint32_t p, int wall, uint32_t q,
                               tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
