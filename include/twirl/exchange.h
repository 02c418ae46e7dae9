/* SPDX-License-Identifier: BSD-3-Clause */
/* Import and export of foreign files.
 *
 *     tw_error error;
 *     tw_specimen *specimen = tw_specimen_read("sand.csv", &error);  // NULL: error.text says why
 *     tw_sim_def def = tw_sim_def_default();
 *     def.law.kn = def.law.kt = 1e6;
 *     def.law.mu = 0.5;
 *     tw_sim *sim = tw_specimen_build(specimen, &def, &error);       // cell and bodies of the file
 *     tw_specimen_free(specimen);
 *     tw_export_series *series = tw_export_series_open("frames", "sand", &error);
 *     ... tw_sim_run(sim, 1000, &error), tw_export_series_add(series, sim, &error) ...
 *     tw_export_series_close(series);
 *
 * A text for an error names the file, the line, what was found and what would be right. A file that
 * is written takes its name only when it is complete; an old one of that name stays until then.
 * Numbers have a decimal point whatever the locale, and enough digits to give back the same double.
 */
#ifndef TWIRL_EXCHANGE_H
#define TWIRL_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/sim.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a file is ---- */

typedef enum tw_exchange_kind {
    TW_EXCHANGE_UNKNOWN,    /* not readable, or none of the others */
    TW_EXCHANGE_DFILE,      /* an assembly of OVAL or DEMPLA */
    TW_EXCHANGE_CSV,        /* spheres, one a row */
    TW_EXCHANGE_CHECKPOINT, /* HDF5: tw_sim_load reads it */
    TW_EXCHANGE_LAMMPS_DATA,
    TW_EXCHANGE_LAMMPS_DUMP /* text, "dump custom" */
} tw_exchange_kind;

/* Looks at the first bytes, not at the name. TW_EXCHANGE_UNKNOWN: error.text says why. */
tw_exchange_kind tw_exchange_recognise(const char *path, tw_error *error);

/* ---- Import ---- */

/* A bumpy grain (satellites above 0; see tw_sim_add_shape_bumpy), or any spheres. Lengths are
 * relative to the size of the body [-]. */
typedef struct tw_specimen_shape {
    int satellites;
    double satellite_radius, central_radius, distance;
    tw_sphere *spheres; /* NULL for a bumpy grain */
    size_t count;
} tw_specimen_shape;

/* What a file holds. Shape 0 is the sphere of radius 1, as in a simulation; shape k is
 * shapes[k - 1]. The x of a body is where the origin of its shape's frame lies, and v the velocity
 * there; it need not be the centre of mass: tw_specimen_build sees to that. */
typedef struct tw_specimen {
    int cell_given;  /* 0: the file has none; then cell is the size of a box about the spheres */
    tw_mat3 cell;    /* edges as columns [m] */
    int periodic[3]; /* along each edge; 0 without a given cell */
    tw_specimen_shape *shapes;
    size_t shape_count, shape_capacity;
    tw_body_def *bodies;
    size_t body_count, body_capacity;
    double *mass; /* of each body [kg]; NULL: the file does not say */
    double *
        molecule; /* of LAMMPS, of each body, ascending; 0: none. NULL: the file has no molecules */
    double *atom; /* of LAMMPS, the id of each sphere, by bodies and members. NULL: not of LAMMPS */
    double *
        moment; /* sum of the moments of inertia of each body [kg m^2]; 0: not known; may be NULL */
} tw_specimen;

/* All give NULL on failure. The first finds out by itself which of the others will do. */
tw_specimen *tw_specimen_read(const char *path, tw_error *error);
tw_specimen *tw_specimen_read_dfile(const char *path, tw_error *error);
tw_specimen *tw_specimen_read_csv(const char *path, tw_error *error);

/* LAMMPS: a data file of atom_style sphere, or hybrid sphere molecular, or bpm/sphere; a text dump,
 * of which the last frame counts. Atoms of the same molecule, above 0, are one rigid cluster. The
 * box is moved so that its corner is the origin. A data file does not say along which edges it
 * repeats: all are taken as periodic. Velocities are as they stand in the file, affine part
 * included. */
tw_specimen *tw_specimen_read_lammps_data(const char *path, tw_error *error);
tw_specimen *tw_specimen_read_lammps_dump(const char *path, tw_error *error);
void tw_specimen_free(tw_specimen *specimen);

/* Spheres of all bodies together. */
size_t tw_specimen_spheres(const tw_specimen *specimen);

/* A simulation as `def` says, but with the cell and the periodic edges of the specimen, and with
 * its bodies in their order. NULL on failure. */
tw_sim *tw_specimen_build(const tw_specimen *specimen, const tw_sim_def *def, tw_error *error);

/* Masses and moments of inertia from the file that `fix rigid/small ... infile` reads, such as the
 * PREFIX.bodies of tw_export_lammps_run. tw_specimen_density compares them with those of the
 * unions. */
tw_status tw_specimen_read_lammps_bodies(tw_specimen *specimen, const char *path, tw_error *error);

/* Memories of contacts for `sim`, which tw_specimen_build made of this specimen of LAMMPS, from the
 * file that `pair_style twirl ... save` writes or PREFIX.contacts of tw_export_lammps_run. Contacts
 * with walls are not in it. */
tw_status tw_specimen_read_lammps_contacts(const tw_specimen *specimen, const char *path,
                                           tw_sim *sim, tw_error *error);

/* The one density that gives all bodies the masses of the file [kg/m^3]. TW_STATUS_INPUT where
 * there is none: the file has no masses, or the bodies have different densities. */
tw_status tw_specimen_density(const tw_specimen *specimen, double *density, tw_error *error);

/* ---- Export ---- */

/* CSV of spheres: two comments that tw_specimen_read_csv understands,
 *     # cell: the edges a, b and c, nine numbers [m]
 *     # periodic: 1 or 0 for each edge
 * then the header x,y,z,radius,body,member and one row per sphere. The spheres of a body lie
 * together, so some of them may lie outside the cell. */
tw_status tw_export_csv(const tw_sim *sim, const char *path, tw_error *error);

/* Three files for ParaView, or any program with VTK, in an existing directory:
 *     NAME_spheres_FRAME.vtu   points with radius, body, member, velocity (without the affine part
 *                              of the cell), coordination (contacts of the body)
 *     NAME_contacts_FRAME.vtp  a line per contact, from the centre of body p to that of q's image,
 *                              or to the point of contact with a wall (body_q is then -1), with fn,
 *                              ft, ft_norm, force, zeta, sliding, body_p, body_q
 *     NAME_cell_FRAME.vtp      the edges of the cell
 * NAME is part of the names of files and has no '/'; FRAME has at least six digits. */
tw_status tw_export_vtk(const tw_sim *sim, const char *directory, const char *name, uint64_t frame,
                        tw_error *error);

/* Frames 0, 1, 2 ... of one run, with NAME_spheres.pvd, NAME_contacts.pvd and NAME_cell.pvd that
 * list them with their times. The directory is made if it is missing, but not its parents. The
 * lists are whole after every frame. */
typedef struct tw_export_series tw_export_series;

tw_export_series *tw_export_series_open(const char *directory, const char *name, tw_error *error);
/* Takes up the series that an earlier run left there: its frames with times up to `time` stay in
 * the lists, new ones follow after them. *frames says how many those are; 0 where there is no
 * earlier series. */
tw_status tw_export_series_resume(tw_export_series *series, double time, size_t *frames,
                                  tw_error *error);
tw_status tw_export_series_add(tw_export_series *series, const tw_sim *sim, tw_error *error);
/* The same for movements in which the clock of the simulation stands, such as a rigid rotation:
 * `time` is what the lists say, and what the series is taken up by. */
tw_status tw_export_series_add_at(tw_export_series *series, const tw_sim *sim, double time,
                                  tw_error *error);
void tw_export_series_close(tw_export_series *series);

/* One frame of a LAMMPS dump, as OVITO reads it, of the spheres:
 *     id (from 1), type (shape, from 1), x y z, radius, vx vy vz, omegax omegay omegaz, body,
 * member A cell whose first edge lies along x and whose second lies in the x-y plane, both and the
 * third towards the positive side, is written in LAMMPS' older form ("xy xz yz"). Any other is
 * written as "abc origin", which LAMMPS and OVITO have understood since 2024: nothing is rotated,
 * so that coordinates, velocities and forces are those of the simulation. */
tw_status tw_export_lammps(const tw_sim *sim, const char *path, tw_error *error);

/* The contacts in the form of "dump local". The columns that say which spheres (by the ids of the
 * dump above) and which periodic image are named so that OVITO's "Load trajectory" takes them as
 * bonds by itself. Contacts with walls have no second sphere and are left out. */
tw_status tw_export_lammps_contacts(const tw_sim *sim, const char *path, tw_error *error);

/* ---- A run that goes on in LAMMPS ---- */

typedef enum tw_lammps_pair {
    TW_LAMMPS_TWIRL, /* pair_style twirl of plugins/lammps: the same law, contacts go on */
    TW_LAMMPS_HOOKE  /* pair_style gran/hooke/history of any LAMMPS: contacts start without history
                      */
} tw_lammps_pair;

typedef struct tw_lammps_options {
    tw_lammps_pair pair;
    int hold; /* 1: the cell stays as it is; 0 (default): it goes on with the velocity gradient
                 of the last step */
    int drop_damping; /* 1: leave out the damping of bodies, which LAMMPS has not; 0 (default):
                         refuse */
    uint64_t steps;   /* of the script; default 1000 */
} tw_lammps_options;

tw_lammps_options tw_lammps_options_default(void);

/* Files with which LAMMPS goes on from here:
 *     PREFIX.in        input script
 *     PREFIX.data      box, spheres, velocities at the end of the step; with TW_LAMMPS_HOOKE they
 * contain the affine part, about the middle of the cell PREFIX.bodies    of clusters: mass, centre,
 * inertia, velocity, angular momentum, for fix rigid/small PREFIX.contacts  for pair_style twirl:
 * normals and tangential forces All in LAMMPS' own frame: the first edge of the cell along x, the
 * second in the x-y plane. A sphere has the id that tw_export_lammps gives it; its molecule is its
 * body + 1. What cannot go on in LAMMPS is refused with TW_STATUS_INPUT. The step must be known:
 * tw_sim_run(sim, 0, ...) finds it for a new simulation. */
tw_status tw_export_lammps_run(const tw_sim *sim, const char *prefix,
                               const tw_lammps_options *options, tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
