/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves the scenes of lammps_scenes.h and their reference values, for test_lammps_run.py.
 *
 *     lammps_sample DIRECTORY
 *     lammps_sample DIRECTORY NAME     reference values of the existing checkpoint NAME.h5
 *
 * NAME.txt: a line per body, `body ID MASS FX FY FZ TX TY TZ IX IY IZ VX VY VZ WX WY WZ`: force of
 * contacts and walls, torque, principal moments, velocity and angular velocity; then `contacts N`,
 * `wall N`, `stress XX YY ZZ XY XZ YZ` in the order of LAMMPS; the stress of moving grains is not
 * symmetric.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../must.h"
#include "lammps_scenes.h"

static void print_truth(tw_sim *sim, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(1);
    const tw_vec3 g = tw_sim_definition(sim).gravity;
    for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
        const tw_body_state b = must_body(sim, id);
        const tw_vec3 f = tw_vec3_add_scaled(b.force, -b.mass, g);
        fprintf(file, "body %u %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g", id,
                b.mass, f.x, f.y, f.z, b.torque.x, b.torque.y, b.torque.z, b.inertia.x, b.inertia.y,
                b.inertia.z);
        fprintf(file, " %.17g %.17g %.17g %.17g %.17g %.17g\n", b.v_half.x, b.v_half.y, b.v_half.z,
                b.w_half.x, b.w_half.y, b.w_half.z);
    }
    const tw_measure m = must_measure(sim);
    const double *s = m.stress.m;
    fprintf(file, "contacts %zu\nwall %zu\nstress", m.contacts, m.wall_contacts);
    fprintf(file, " %.17g %.17g %.17g %.17g %.17g %.17g\n", s[0], s[4], s[8], s[1], s[2], s[5]);
    if (fclose(file) != 0) exit(1);
}

static int print_existing(const char *name)
{
    tw_error error;
    char path[200];
    snprintf(path, sizeof path, "%s.h5", name);
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) {
        fprintf(stderr, "lammps_sample: %s\n", error.text);
        return 1;
    }
    snprintf(path, sizeof path, "%s.txt", name);
    print_truth(sim, path);
    tw_sim_free(sim);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || chdir(argv[1]) != 0) {
        fprintf(stderr, "usage: lammps_sample DIRECTORY [NAME]\n");
        return 2;
    }
    if (argc == 3) return print_existing(argv[2]);
    for (int i = 0; i < LAMMPS_SCENES; i++) {
        tw_error error;
        char path[64];
        tw_sim *sim = lammps_scene_make(&lammps_scenes[i]);
        snprintf(path, sizeof path, "%s.txt", lammps_scenes[i].name);
        print_truth(sim, path);
        snprintf(path, sizeof path, "%s.h5", lammps_scenes[i].name);
        if (tw_sim_save(sim, path, &error) != TW_STATUS_OK) {
            fprintf(stderr, "lammps_sample: %s\n", error.text);
            return 1;
        }
        tw_sim_free(sim);
    }
    return 0;
}
