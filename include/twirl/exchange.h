/* SPDX-License-Identifier: BSD-3-Clause */
/* Import and export of files of other programs.
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
 * An error message names the file, the line, what was found and what was expected. A file that is
 * written takes its name only when it is complete and on the disk; until then an old file of that
 * name stays. Numbers have a decimal point in every locale, and enough digits to be read back as
 * the same double.
 *
 * Calls for different objects may overlap in several threads; those for one may not, nor may two
 * write the same file. */
#ifndef TWIRL_EXCHANGE_H
#define TWIRL_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/mesh.h>
#include <twirl/sim.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- File types ---- */

typedef enum tw_exchange_kind {
    TW_EXCHANGE_UNKNOWN,    /* unreadable, or none of the others */
    TW_EXCHANGE_DFILE,      /* assembly of OVAL or DEMPLA */
    TW_EXCHANGE_CSV,        /* spheres, one per row */
    TW_EXCHANGE_CHECKPOINT, /* HDF5: tw_sim_load reads it */
    TW_EXCHANGE_LAMMPS_DATA,
    TW_EXCHANGE_LAMMPS_DUMP, /* text, "dump custom" */
    TW_EXCHANGE_XYZR,        /* spheres of YADE: x y z r and more, separated by blanks */
    TW_EXCHANGE_STL,         /* a surface of triangles, text or binary */
    TW_EXCHANGE_OBJ
} tw_exchange_kind;

/* By content, not by name. TW_EXCHANGE_UNKNOWN: error.text says why. */
TW_API tw_exchange_kind tw_exchange_recognise(const char *path, tw_error *error);

/* ---- Surfaces ---- */

/* tw_mesh_make of an STL file, of text or binary, or an OBJ file. */
TW_API tw_status tw_mesh_read(tw_mesh *mesh, const char *path, double scale, tw_error *error);

/* ---- Import ---- */

/* A bumpy grain (satellites > 0; see tw_sim_add_shape_bumpy) or arbitrary spheres. Lengths are
 * relative to the size of the body [-]. */
typedef struct tw_specimen_shape {
    int satellites;
    double satellite_radius, central_radius, distance;
    tw_sphere *spheres; /* NULL for a bumpy grain */
    size_t count;
} tw_specimen_shape;

/* What a dump of tw_export_lammps says about a body in addition to its motion. */
typedef struct tw_specimen_result {
    tw_vec3 displacement; /* as in tw_body_state [m] */
    double pressure;      /* a third of the trace of its stress [Pa] */
    double contacts;      /* their number */
} tw_specimen_result;

/* The content of a file. Shape 0 is the sphere of radius 1, as in a simulation; shape k is
 * shapes[k - 1]. The x of a body is the position of the origin of its shape's frame, and v the
 * velocity there; tw_specimen_build converts both to the centre of mass. */
typedef struct tw_specimen {
    int cell_given;  /* 0: the file has no cell; `cell` is then the bounding box of the spheres */
    tw_mat3 cell;    /* edges as columns [m] */
    int periodic[3]; /* along each edge; 0 if the file has no cell */
    tw_specimen_shape *shapes;
    size_t shape_count;
    tw_body_def *bodies;
    size_t body_count;
    double *mass; /* of each body [kg]; NULL: the file has no masses */
    /* LAMMPS: the laws of pairs of types, [(a - 1) * types + b - 1]. NULL: the file has none */
    tw_contact_law *laws;
    uint32_t types;
    tw_specimen_result *results; /* of each body; NULL: the file has none */
} tw_specimen;

/* Recognises the type of the file; NULL on failure.
 *
 * LAMMPS: a data file of atom_style sphere, hybrid sphere molecular or bpm/sphere; a text dump, of
 * which the last frame is read. Atoms with the same molecule above 0 form one rigid cluster, of the
 * type of the atom with the lowest id. The box is moved so that its corner is the origin. A data
 * file does not state the boundary conditions: all edges are taken as periodic. Velocities are
 * those of the file, affine part included. */
TW_API tw_specimen *tw_specimen_read(const char *path, tw_error *error);
TW_API void tw_specimen_free(tw_specimen *specimen);

/* The number of spheres of all bodies. */
TW_API size_t tw_specimen_sphere_count(const tw_specimen *specimen);

/* Makes a simulation with the settings of `def`, the cell and periodic edges of the specimen, and
 * its bodies in their order. If def->law.kn is 0 and the file has laws, the simulation has those:
 * types that have the same laws with all others become one material, called "typeN" after the first
 * of them; kind and refinements are those of def->law. NULL on failure. */
TW_API tw_sim *tw_specimen_build(const tw_specimen *specimen, const tw_sim_def *def,
                                 tw_error *error);

/* Adds the shapes and bodies of the specimen to a new simulation, which has its cell and the
 * materials of its bodies (tw_body_def.material). After an error the simulation is incomplete. */
TW_API tw_status tw_specimen_add(const tw_specimen *specimen, tw_sim *sim, tw_error *error);

/* Reads the contacts of a frame, FILE.local of tw_export_lammps_contacts, to look at: `sim` was
 * made from the dump of the same frame. *contacts, for the caller to free, are in the axes of the
 * simulation, without normals and numbers of spheres. */
TW_API tw_status tw_specimen_read_lammps_local(const char *path, const tw_sim *sim,
                                               tw_contact_state **contacts, size_t *count,
                                               tw_error *error);

/* The density of the grains that follows from the masses of the file [kg/m^3]. TW_STATUS_INPUT if
 * the file has no masses or the bodies have different densities. */
TW_API tw_status tw_specimen_get_density(const tw_specimen *specimen, double *density,
                                         tw_error *error);

/* ---- Export ---- */

/* CSV of spheres, as read by tw_specimen_read: two comments,
 *     # cell: the edges a, b and c, nine numbers [m]
 *     # periodic: 1 or 0 for each edge
 * then the header x,y,z,radius,body,member and one row per sphere, with a column `type` if one is
 * not 1. Bodies are not split at the
 * faces of the cell, so spheres may lie outside. */
TW_API tw_status tw_export_csv(const tw_sim *sim, const char *path, tw_error *error);

/* Files for ParaView or other programs based on VTK, in an existing directory:
 *     NAME_spheres_FRAME.vtu   points with radius, body, member, velocity (without the affine part
 *                              of the cell), and of the body: type, shape, spin (angular
 *                              velocity), displacement (of tw_body_state), coordination (number of
 *                              contacts), stress (below) and pressure, a third of its trace
 *     NAME_contacts_FRAME.vtp  a line per contact, from the centre of body p to that of the image
 *                              of q, or to the contact point with a wall (body_q is then -1), with
 *                              fn, ft, ft_norm, force, zeta, sliding, body_p, body_q
 *     NAME_cell_FRAME.vtp      the edges of the cell
 *     NAME_walls_FRAME.vtp     if there are walls, their facets as of tw_sim_get_wall_surface, with
 *                              wall (its number) and force, of the grains on the facet
 * NAME must not contain '/'; FRAME has at least six digits.
 *
 * The stress of a body is -(1/V) sum over its contacts of (x_c - x) (x) f, with its volume V, its
 * centre x, the contact point x_c and the force f on it, damping included: nine numbers, row by
 * row, positive in compression. Its mean over the volume of the cell, zero in the voids, is the
 * stress of tw_measure. */
TW_API tw_status tw_export_vtk(const tw_sim *sim, const char *directory, const char *name,
                               uint64_t frame, tw_error *error);

/* Frames 0, 1, 2 ... of one run, listed with their times in NAME_spheres.pvd, NAME_contacts.pvd,
 * NAME_cell.pvd and, if there are walls, NAME_walls.pvd. All frames have the same parts. The
 * directory is created if it is missing, but not its parents. The lists are complete after every
 * frame. */
typedef struct tw_export_series tw_export_series;

TW_API tw_export_series *tw_export_series_open(const char *directory, const char *name,
                                               tw_error *error);
/* A comment for the end of all files that follow, such as a name of the run: one line of at most
 * 200 bytes without "--". */
TW_API tw_status tw_export_series_set_comment(tw_export_series *series, const char *comment,
                                              tw_error *error);
TW_API tw_status tw_export_series_add(tw_export_series *series, const tw_sim *sim, tw_error *error);
/* Like tw_export_series_add, with a time other than that of the simulation, for motions in which
 * the latter does not advance, such as a rigid rotation. */
TW_API tw_status tw_export_series_add_at(tw_export_series *series, const tw_sim *sim, double time,
                                         tw_error *error);
/* Continues with these frames in the lists, whatever they have now, and writes the lists. */
TW_API tw_status tw_export_series_restore(tw_export_series *series, const double *times,
                                          size_t count, tw_error *error);
TW_API size_t tw_export_series_frame_count(const tw_export_series *series); /* in the lists */
/* The number of files of a frame: 3, or 4 if there are walls. */
TW_API int tw_export_series_part_count(const tw_export_series *series);
/* Name of a file in the directory: part 0, 1 ... of a frame or, with TW_EXPORT_SERIES_LIST, the
 * list of these parts. */
#define TW_EXPORT_SERIES_LIST UINT64_MAX
TW_API void tw_export_series_file_name(const tw_export_series *series, int part, uint64_t frame,
                                       char *name, size_t size);
TW_API void tw_export_series_close(tw_export_series *series);

/* Local fields of tw_sim_get_fields as a structured grid for ParaView, PATH.vts: around each point
 * a cell with the members of tw_sim_field; those of strain if the fields have any. `count` is that
 * of the points. */
TW_API tw_status tw_export_fields(const tw_sim *sim, const tw_sim_field_grid *grid,
                                  const tw_sim_field *fields, size_t count, const char *path,
                                  tw_error *error);

/* One frame of a LAMMPS dump of the spheres, for OVITO, with the columns
 *     id (from 1), type (of the body), x y z, radius, vx vy vz, omegax omegay omegaz, body, member,
 *     shape, coordination, c_disp[1] to [3] (displacement), c_stress[1] to [6] (stress of the body
 *     as in tw_export_vtk, symmetric part: xx, yy, zz, xy, xz, yz)
 * The last two are named as after `compute disp all displace/atom` and `compute stress ...` of
 * LAMMPS; the stress is in Pa and positive in compression, though. Velocities are without the
 * affine part of the cell.
 * All is in LAMMPS' own frame: the first edge of the cell along x, the second in the x-y plane, no
 * tilt above half an edge. Where the cell is not, positions, velocities, displacements, stresses
 * and, in the contacts, forces are turned with it. The first item, "UNITS", is then "si rotation"
 * and the matrix R by rows: v of the file is R v of the simulation. tw_specimen_read turns back. */
TW_API tw_status tw_export_lammps(const tw_sim *sim, const char *path, tw_error *error);

/* The contacts in the form of "dump local". The columns for the two spheres (ids as in the dump
 * above) and the periodic image have the names that OVITO's "Load trajectory" expects for bonds.
 * Contacts with walls have no second sphere and are omitted. */
TW_API tw_status tw_export_lammps_contacts(const tw_sim *sim, const char *path, tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
