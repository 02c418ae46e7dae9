/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands/info_law.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/output.h"

/* Constants that serve all radii are those of elastic half-spaces. */
static void describe_springs(const tw_contact_law *law, char *text, size_t size)
{
    if (law->normal != TW_CONTACT_HERTZ)
        snprintf(text, size, "kn %g N/m, kt %g N/m", law->kn, law->kt);
    else if (law->flags & TW_CONTACT_BY_RADIUS)
        snprintf(text, size, "hertz, E* %g Pa, G* %g Pa", 0.75 * law->kn, 0.125 * law->kt);
    else
        snprintf(text, size, "hertz, kn %g N/m^1.5, kt %g N/m^1.5", law->kn, law->kt);
}

static const char *damping_unit(const tw_contact_law *law)
{
    if (law->flags & TW_CONTACT_BY_MASS) return " (damping ratios)";
    return law->normal == TW_CONTACT_HERTZ ? " N s/m^1.25" : " N s/m";
}

static void print_without(const tw_contact_law *law, int width)
{
    char text[64] = "";
    size_t used = 0;
    if (law->kind != TW_CONTACT_EXACT) return;
    for (uint32_t bit = 1; bit < TW_CONTACT_ALL; bit *= 2) {
        if (!(law->refine & bit) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     tw_contact_refinement_name(bit));
    }
    if (used > 0) tw_output_line(width, "", "without %s", text);
}

/* `whose` is empty, or the names of the materials. */
static void print_law(const tw_contact_law *law, const char *whose, int width)
{
    char springs[96];
    describe_springs(law, springs, sizeof springs);
    tw_output_line(width, "law", "%s%s, %s, mu %g", whose, tw_contact_kind_name(law->kind), springs,
                   law->mu);
    if (law->mu_r > 0.0)
        tw_output_line(width, "", "rolling: mu_r %g, k_r/kt %g", law->mu_r, law->k_r / law->kt);
    if (law->mu_w > 0.0)
        tw_output_line(width, "", "twisting: mu_w %g, k_w/kt %g", law->mu_w, law->k_w / law->kt);
    if (law->nu_n > 0.0 || law->nu_t > 0.0 || law->nu_r > 0.0 || law->nu_w > 0.0)
        tw_output_line(width, "", "damping: nu_n %g, nu_t %g, nu_r %g, nu_w %g%s%s", law->nu_n,
                       law->nu_t, law->nu_r, law->nu_w, damping_unit(law),
                       law->flags & TW_CONTACT_NO_TENSION ? ", no tension" : "");
    print_without(law, width);
}

static size_t bodies_of(const tw_sim *sim, uint32_t material)
{
    size_t count = 0;
    for (size_t id = 0; id < tw_sim_bodies(sim); id++) {
        tw_body_state body;
        tw_sim_body(sim, (uint32_t)id, &body, NULL); /* it exists */
        count += body.material == material;
    }
    return count;
}

void tw_info_law_print(const tw_sim *sim, int label_width)
{
    const uint32_t count = (uint32_t)tw_sim_materials(sim);
    for (uint32_t a = 0; count > 1 && a < count; a++)
        tw_output_line(label_width, a == 0 ? "materials" : "", "%s, %zu bodies, density %g kg/m^3",
                       tw_sim_material_name(sim, a), bodies_of(sim, a),
                       tw_sim_material_density(sim, a));
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a; b < count; b++) {
            tw_contact_law law;
            tw_sim_pair_law(sim, a, b, &law, NULL); /* they exist */
            char whose[2 * TW_MATERIAL_NAME_MAX + 8] = "";
            if (count > 1)
                snprintf(whose, sizeof whose, "%s, %s: ", tw_sim_material_name(sim, a),
                         tw_sim_material_name(sim, b));
            print_law(&law, whose, label_width);
        }
    }
}
