/* SPDX-License-Identifier: BSD-3-Clause */
#include "top_reference.h"

#include <math.h>

tw_mat3 top_inertia(const tw_sphere *spheres, size_t count, double size, double density)
{
    double mass = 0.0;
    tw_vec3 centre = {0.0, 0.0, 0.0};
    for (size_t k = 0; k < count; k++) {
        const double m = spheres[k].radius * spheres[k].radius * spheres[k].radius;
        mass += m;
        centre = tw_vec3_add_scaled(centre, m, spheres[k].centre);
    }
    centre = tw_vec3_scale(1.0 / mass, centre);
    tw_mat3 sum = tensor_zero();
    for (size_t k = 0; k < count; k++) {
        const double r = spheres[k].radius, m = r * r * r;
        const tw_vec3 d = tw_vec3_sub(spheres[k].centre, centre);
        const double round = m * (0.4 * r * r + tw_vec3_dot(d, d));
        sum = tensor_add_scaled(sum, 1.0, tensor_diagonal(round, round, round));
        sum = tensor_add_scaled(sum, -m, tensor_outer(d, d));
    }
    const double unit = density * 4.0 / 3.0 * SUPPORT_PI * pow(size, 5.0);
    return tensor_add_scaled(tensor_zero(), unit, sum);
}

enum { LANDEN = 30 };

/* Elliptic integral of the first kind F(phi | k) by integration: phi < pi/2, smooth. */
static double elliptic_f(double phi, double k2)
{
    const int n = 20000; /* Simpson: the error is far below 1e-12 for k2 < 0.999 */
    double sum = 0.0;
    for (int i = 0; i <= n; i++) {
        const double s = sin(phi * i / n);
        const double weight = i == 0 || i == n ? 1.0 : (i % 2 ? 4.0 : 2.0);
        sum += weight / sqrt(1.0 - k2 * s * s);
    }
    return sum * phi / (3.0 * n);
}

/* sn, cn, dn of u by the arithmetic-geometric mean (Abramowitz & Stegun 16.4). */
static void elliptic_sncndn(double u, double k2, double *sn, double *cn, double *dn)
{
    double a[LANDEN], c[LANDEN];
    double b = sqrt(1.0 - k2);
    a[0] = 1.0;
    c[0] = sqrt(k2);
    int n = 0;
    while (fabs(c[n]) > 1e-17 && n + 1 < LANDEN) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (int i = n; i > 0; i--)
        phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1.0 - k2 * *sn * *sn);
}

/* Landau & Lifshitz, Mechanics, section 37: with 2E = sum I w^2 and L^2 = sum I^2 w^2, the axis of
 * the extreme moment on the same side of the intermediate one as the momentum keeps its sign (dn);
 * the component about the other extreme follows cn, the intermediate one sn. */
tw_vec3 top_euler(tw_vec3 i, tw_vec3 w, double time)
{
    const double e2 = i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z;
    const double l2 = i.x * i.x * w.x * w.x + i.y * i.y * w.y * w.y + i.z * i.z * w.z * w.z;
    const int about_z = l2 > e2 * i.y;
    /* Formulas for momentum on the side of i3; otherwise 1 and 3 are swapped. */
    const double i1 = about_z ? i.x : i.z, i2 = i.y, i3 = about_z ? i.z : i.x;
    const double d1 = (e2 * i3 - l2) / (i1 * (i3 - i1));
    const double d2 = (e2 * i3 - l2) / (i2 * (i3 - i2));
    const double d3 = (l2 - e2 * i1) / (i3 * (i3 - i1));
    const double k2 = (i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1));
    const double rate = sqrt((i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3));
    /* From Euler's equation I2 w2' = (I3 - I1) w3 w1 in the true frame: with positive w1 and w3 the
     * intermediate component grows for x < y < z. */
    const double u0 = elliptic_f(asin(fmin(w.y / sqrt(d2), 1.0)), k2);
    double sn, cn, dn;
    elliptic_sncndn(u0 + rate * time, k2, &sn, &cn, &dn);
    const double w1 = sqrt(d1) * cn, w2 = sqrt(d2) * sn, w3 = sqrt(d3) * dn;
    return about_z ? tw_vec3_make(w1, w2, w3) : tw_vec3_make(w3, w2, w1);
}
