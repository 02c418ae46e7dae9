/* SPDX-License-Identifier: BSD-3-Clause */
/* By the divergence theorem the integrals of 1, x and x x over the union are integrals over its
 * surface, that is over the exposed patch of each sphere:
 *     3 V = |x . n|,  4 |x| = |x (x . n)|,  5 |x x| = |x x (x . n)|,
 * where x = c + r n on a sphere. The integrals over patches have closed forms (patch.c). The
 * alternative, integrating over slices of the union numerically, takes hundreds of slices and gives
 * fewer digits. */
#include "shape/union.h"

#include "base/error.h"
#include "base/memory.h"
#include "shape/patch.h"

#include <stdbool.h>

/* Relative to the size of the union: differences of this order between spheres are rounding. */
static const double union_tiny = 1e-14;

typedef struct union_sums {
    double volume;
    tw_vec3 first;
    tw_mat3 second;
    tw_vec3 normal;  /* integral of n over the surface; 0 if the surface is closed */
    tw_mat3 closure; /* of x n; V times the unit matrix if the surface is closed */
} union_sums;

static bool union_sphere_valid(const tw_sphere *s)
{
    return isfinite(s->centre.x) && isfinite(s->centre.y) && isfinite(s->centre.z) &&
           isfinite(s->radius) && s->radius > 0.0;
}

static tw_status union_check(const tw_sphere *spheres, size_t count, tw_error *error)
{
    if (count == 0)
        return tw_error_set(error, TW_STATUS_INPUT, "a shape needs at least one sphere");
    for (size_t i = 0; i < count; i++)
        if (!union_sphere_valid(&spheres[i]))
            return tw_error_set(
                error, TW_STATUS_INPUT,
                "sphere %zu of the shape has centre (%g, %g, %g) and radius %g; the "
                "centre must be finite and the radius positive",
                i + 1, spheres[i].centre.x, spheres[i].centre.y, spheres[i].centre.z,
                spheres[i].radius);
    return TW_STATUS_OK;
}

/* The centre of the bounding box, and the power of two (so that scaling is exact) that scales the
 * box to a size between 1/2 and 1. */
static tw_sphere union_box(const tw_sphere *s, size_t count)
{
    tw_vec3 low = s[0].centre, high = low;
    for (size_t i = 0; i < count; i++) {
        const double r = s[i].radius;
        low.x = tw_math_min(low.x, s[i].centre.x - r);
        low.y = tw_math_min(low.y, s[i].centre.y - r);
        low.z = tw_math_min(low.z, s[i].centre.z - r);
        high.x = tw_math_max(high.x, s[i].centre.x + r);
        high.y = tw_math_max(high.y, s[i].centre.y + r);
        high.z = tw_math_max(high.z, s[i].centre.z + r);
    }
    int exponent;
    (void)frexp(tw_vec3_max_abs(tw_vec3_sub(high, low)), &exponent);
    const tw_sphere box = {tw_vec3_scale(0.5, tw_vec3_add(low, high)), ldexp(1.0, exponent)};
    return box;
}

/* a is inside b. Of two spheres that are equal up to rounding, the second counts as inside the
 * first. */
static bool union_within(const tw_sphere *spheres, size_t a, size_t b)
{
    const double larger = spheres[b].radius - spheres[a].radius;
    const double d = tw_vec3_norm(tw_vec3_sub(spheres[b].centre, spheres[a].centre));
    return d - larger <= union_tiny && (larger > 0.0 || (larger == 0.0 && b < a));
}

/* Moves the spheres into the scaled box and drops those inside others. */
static size_t union_prepare(const tw_sphere *spheres, size_t count, tw_sphere box, tw_sphere *all,
                            tw_sphere *kept)
{
    for (size_t i = 0; i < count; i++) {
        all[i].centre = tw_vec3_scale(1.0 / box.radius, tw_vec3_sub(spheres[i].centre, box.centre));
        all[i].radius = spheres[i].radius / box.radius;
    }
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool keep = true;
        for (size_t j = 0; j < count && keep; j++)
            keep = j == i || !union_within(all, i, j);
        if (keep) kept[n++] = all[i];
    }
    return n;
}

/* The part of sphere a inside sphere b, as a cap; false if their surfaces do not cross. The factors
 * are 1 -+ cos(angle) by the law of cosines, written without cancellation for nearly tangent and
 * for nearly equal spheres. */
static bool union_cap(const tw_sphere *a, const tw_sphere *b, tw_patch_cap *cap)
{
    const tw_vec3 branch = tw_vec3_sub(b->centre, a->centre);
    const double d = tw_vec3_norm(branch), r = a->radius, s = b->radius;
    const double below = ((r + s) - d) * (d + (s - r)), above = (d + (r - s)) * (d + (r + s));
    if (!(below > 0.0) || !(above > 0.0)) return false;
    cap->axis = tw_vec3_scale(1.0 / d, branch);
    cap->angle = 2.0 * tw_math_atan2(sqrt(below), sqrt(above));
    cap->cosine = tw_math_cos(cap->angle);
    cap->sine = tw_math_sin(cap->angle);
    return true;
}

static void union_add_sphere(union_sums *sums, tw_sphere sphere, const tw_patch_moments *m)
{
    const tw_vec3 c = sphere.centre;
    const double r = sphere.radius, rr = r * r;
    const double height = tw_vec3_dot(c, m->first) + r * m->area; /* of x . n */
    const tw_vec3 w =
        tw_vec3_add_scaled(tw_mat3_mul_vec(m->second, c), r, m->first); /* of n (x . n) */
    const tw_mat3 cw = tw_mat3_outer(c, w);
    tw_mat3 second = tw_mat3_scale(height, tw_mat3_outer(c, c));
    second = tw_mat3_add_scaled(second, r, tw_mat3_add(cw, tw_mat3_transpose(cw)));
    second = tw_mat3_add_scaled(second, rr, tw_mat3_add_scaled(m->third, r, m->second));
    sums->volume += rr / 3.0 * height;
    sums->first = tw_vec3_add_scaled(sums->first, rr / 4.0,
                                     tw_vec3_add_scaled(tw_vec3_scale(height, c), r, w));
    sums->second = tw_mat3_add_scaled(sums->second, rr / 5.0, second);
    sums->normal = tw_vec3_add_scaled(sums->normal, rr, m->first);
    sums->closure = tw_mat3_add_scaled(
        sums->closure, rr, tw_mat3_add_scaled(tw_mat3_outer(c, m->first), r, m->second));
}

/* Sums over n spheres, none of them inside another. `caps` and `spans` hold n and 2 n. */
static union_sums union_surface(const tw_sphere *spheres, size_t n, tw_patch_cap *caps,
                                tw_patch_span *spans)
{
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    union_sums sums = {0.0, zero, tw_mat3_zero(), zero, tw_mat3_zero()};
    for (size_t i = 0; i < n; i++) {
        size_t count = 0;
        for (size_t j = 0; j < n; j++)
            if (j != i && union_cap(&spheres[i], &spheres[j], &caps[count])) count++;
        const tw_patch_moments m = tw_patch_measure(caps, count, spheres[i].centre, spans);
        union_add_sphere(&sums, spheres[i], &m);
    }
    return sums;
}

/* Back to the original scale, about the centre of mass. */
static tw_union union_finish(const union_sums *sums, tw_sphere box)
{
    const double size = box.radius, volume = sums->volume;
    const tw_vec3 centre = tw_vec3_scale(1.0 / volume, sums->first);
    const tw_mat3 spread = tw_mat3_add_scaled(sums->second, -volume, tw_mat3_outer(centre, centre));
    const double trace = tw_mat3_trace(spread), size3 = size * size * size;
    const tw_mat3 gap = tw_mat3_sub(sums->closure, tw_mat3_diagonal(volume, volume, volume));
    tw_union result;
    result.volume = size3 * volume;
    result.centre = tw_vec3_add_scaled(box.centre, size, centre);
    result.inertia = tw_mat3_scale(size3 * size * size,
                                   tw_mat3_sub(tw_mat3_diagonal(trace, trace, trace), spread));
    result.residual = tw_math_max(tw_mat3_max_abs(gap), tw_vec3_max_abs(sums->normal)) / volume;
    return result;
}

tw_status tw_union_measure(const tw_sphere *spheres, size_t count, tw_union *result,
                           tw_error *error)
{
    const tw_status status = union_check(spheres, count, error);
    if (status != TW_STATUS_OK) return status;
    tw_arena scratch = {0};
    tw_sphere *all = tw_arena_take(&scratch, count, sizeof *all);
    tw_sphere *kept = tw_arena_take(&scratch, count, sizeof *kept);
    tw_patch_cap *caps = tw_arena_take(&scratch, count, sizeof *caps);
    tw_patch_span *spans = tw_arena_take(&scratch, count, 2 * sizeof *spans);
    if (!all || !kept || !caps || !spans) {
        tw_arena_free(&scratch);
        return tw_error_set(error, TW_STATUS_MEMORY, "out of memory for a shape of %zu spheres",
                            count);
    }
    const tw_sphere box = union_box(spheres, count);
    const size_t n = union_prepare(spheres, count, box, all, kept);
    const union_sums sums = union_surface(kept, n, caps, spans);
    *result = union_finish(&sums, box);
    tw_arena_free(&scratch);
    return TW_STATUS_OK;
}
