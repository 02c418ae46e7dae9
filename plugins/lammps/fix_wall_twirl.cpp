/* SPDX-License-Identifier: GPL-2.0-only */
#include "fix_wall_twirl.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "contact_file.h"

#include <twirl/contact_law.h>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

static const char *const COMMAND = "fix wall/twirl";

/* Rounding error allowed in the component of a periodic edge along the normal. */
static const double TOLERANCE_EDGE = 1e-9;

/* Of the three values of compute_vector that are the same on all processes. */
enum { POSITION = 9 };

FixWallTwirl::FixWallTwirl(LAMMPS *host, int narg, char **arg)
    : FixContacts(host, narg, arg), style(tw_contact_law_default()), point(), normal(), velocity()
{
    read_arguments(narg, arg);
    if (!atom->radius_flag || !atom->omega_flag || !atom->torque_flag)
        error_all(error, "Fix wall/twirl requires atoms with radius, omega and torque: atom_style "
                         "sphere");
    vector_flag = 1;
    size_vector = SUMS;
    global_freq = 1;
    extvector = 1;
    maxexchange = contacts.values() + TW_CONTACT_NUMBERS + 1;
    FixWallTwirl::grow_arrays(atom->nmax);
}

/* The arguments of the law, up to `plane`. Returns the position after that word. */
int FixWallTwirl::read_law(int narg, char **arg)
{
    int end = 3;
    while (end < narg && std::strcmp(arg[end], "plane"))
        end++;
    if (end + 6 >= narg)
        error_all(error,
                  "Illegal fix wall/twirl command: fix ID group wall/twirl kn kt mu [nu] ... plane "
                  "px py pz nx ny nz is expected, with coefficients as in pair_coeff, or type K in "
                  "their place");
    if (std::strcmp(arg[3], "type")) return end + 1;
    const double type = end == 5 ? read_number(lmp, COMMAND, "type", arg[4]) : 0.0;
    if (!(type >= 1.0 && type <= atom->ntypes) || type != std::floor(type))
        error_all(error, "Illegal fix wall/twirl command: type must be followed by an atom type, 1 "
                         "to " +
                             std::to_string(atom->ntypes));
    like_type = static_cast<int>(type);
    return end + 1;
}

/* ID group wall/twirl COEFFICIENTS plane px py pz nx ny nz ... */
void FixWallTwirl::read_arguments(int narg, char **arg)
{
    const int plane = read_law(narg, arg);
    double p[6];
    for (int k = 0; k < 6; k++)
        p[k] = read_number(lmp, COMMAND, "the plane", arg[plane + k]);
    point = vec3_of(p);
    const double length = tw_vec3_norm(vec3_of(p + 3));
    if (!(length > 0.0)) error_all(error, "Illegal fix wall/twirl command: the normal is zero");
    normal = tw_vec3_scale(1.0 / length, vec3_of(p + 3));
    for (int at = plane + 6; at < narg;) {
        const std::string key = arg[at];
        const int read = read_law_arguments(lmp, COMMAND, narg, arg, at, &style);
        if (read && like_type) {
            error_all(error, "Illegal fix wall/twirl command: with type, " + key +
                                 " is that of pair_style twirl");
        } else if (read) {
            at += read;
        } else if (key == "velocity" && at + 3 < narg) {
            for (int k = 0; k < 3; k++)
                p[k] = read_number(lmp, COMMAND, "velocity", arg[at + 1 + k]);
            velocity = vec3_of(p);
            at += 4;
        } else if (key == "contacts" && at + 1 < narg) {
            contacts_path = arg[at + 1];
            at += 2;
        } else {
            error_all(error, "Illegal fix wall/twirl command: unknown or incomplete keyword '" +
                                 key + "'; expected law, without, velocity or contacts");
        }
    }
    if (!like_type) given = read_law_coefficients(lmp, COMMAND, plane - 4, arg + 3, style);
}

int FixWallTwirl::setmask()
{
    return FixConst::POST_FORCE;
}

void FixWallTwirl::init()
{
    if (update->whichflag == 2)
        error_all(error, "Fix wall/twirl cannot be used with minimize: friction has no potential");
    check_box();
    find_laws();
    if (!contacts_path.empty() && !restart_reset) read_contacts();
    contacts_path.clear();
}

/* The laws of atom types with this plane. */
void FixWallTwirl::find_laws()
{
    laws.assign(static_cast<size_t>(atom->ntypes) + 1, given.law);
    pair = dynamic_cast<const PairTwirl *>(force->pair_match("twirl", 1));
    if (like_type && !pair)
        error_all(error, "Fix wall/twirl: type " + std::to_string(like_type) +
                             " takes its coefficients from pair_style twirl, which is not in use");
    uint32_t needed = 0;
    for (int type = 1; type <= atom->ntypes; type++) {
        if (like_type) laws[type] = pair->law_of(type, like_type);
        if (acts_at_gap(laws[type]))
            error_all(error, "Fix wall/twirl: contacts of type " + std::to_string(type) +
                                 " begin or live at a gap, which LAMMPS cannot do");
        needed |= tw_contact_law_extras(&laws[type]);
    }
    contacts.keep(needed);
}

/* An atom that leaves through a periodic face re-enters through the opposite one and must be as far
 * from the plane as before, so no periodic edge of the box may have a component along the normal.
 * Otherwise results would depend on when LAMMPS wraps atoms. */
void FixWallTwirl::check_box()
{
    const Domain *d = domain;
    const double edges[3][3] = {
        {d->xprd, 0.0, 0.0}, {d->xy, d->yprd, 0.0}, {d->xz, d->yz, d->zprd}};
    for (int k = 0; k < 3; k++) {
        const tw_vec3 edge = vec3_of(edges[k]);
        if (!d->periodicity[k] ||
            std::fabs(tw_vec3_dot(normal, edge)) <= TOLERANCE_EDGE * tw_vec3_norm(edge))
            continue;
        const std::string axis(1, "xyz"[k]);
        error_all(error, "Fix wall/twirl: the normal of wall " + std::string(id) +
                             " has a component along the periodic direction " + axis +
                             " of the box; change the normal or make " + axis +
                             " non-periodic (boundary f, s or m)");
    }
}

double FixWallTwirl::distance(int i) const
{
    return tw_vec3_dot(tw_vec3_sub(vec3_of(atom->x[i]), point), normal);
}

void FixWallTwirl::read_contacts()
{
    const std::vector<FileContact> rows = read_contact_file(lmp, contacts_path, 1);
    std::map<tagint, int> of_atom;
    for (size_t k = 0; k < rows.size(); k++)
        of_atom[rows[k].id[0]] = static_cast<int>(k);
    std::vector<int> here(rows.size(), 0);
    for (int i = 0; i < atom->nlocal; i++) {
        const auto entry = of_atom.find(atom->tag[i]);
        if (entry == of_atom.end() || !(atom->mask[i] & groupbit)) continue;
        const FileContact &row = rows[entry->second];
        const double zeta = atom->radius[i] - distance(i);
        if (!(zeta > 0.0)) continue;
        const tw_contact_memory begin = {tw_vec3_scale(-1.0, normal), zeta, row.state.memory.ft};
        contacts.set(i, {begin, 0.0, 0, row.state.extra});
        present[i] = 1;
        here[entry->second] = 1;
    }
    check_all_found(lmp, "Fix wall/twirl", contacts_path, rows, here);
}

void FixWallTwirl::setup(int vflag)
{
    post_force(vflag);
}

/* The mass of the body of an atom. */
double FixWallTwirl::mass_of(int i) const
{
    if (pair && pair->needs_masses()) return pair->body_masses()[i];
    return atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]];
}

tw_contact_law FixWallTwirl::law_at(int i) const
{
    return tw_contact_law_at(&laws[atom->type[i]], atom->radius[i], mass_of(i), 0.0);
}

/* No time passes at the start of a run: the stored force acts, unless the atom was moved by hand.
 */
bool FixWallTwirl::restore(int i, tw_contact_load *load)
{
    const double zeta = atom->radius[i] - distance(i);
    const bool moved = std::fabs(zeta - contacts.memory[i].zeta) > TOLERANCE * atom->radius[i];
    if (!(zeta > 0.0) && (!present[i] || moved)) return false;
    if (!present[i])
        contacts.set(i, {{tw_vec3_scale(-1.0, normal), zeta, {0.0, 0.0, 0.0}}, 0.0, 0, {}});
    if (moved) contacts.memory[i].zeta = zeta;
    *load = load_of_memory(law_at(i), contacts.memory[i], contacts.extra(i), atom->radius[i]);
    return true;
}

bool FixWallTwirl::advance(int i, double dt, tw_contact_load *load)
{
    const tw_contact_plane plane = {normal,
                                    distance(i),
                                    tw_vec3_scale(dt, tw_vec3_sub(velocity, vec3_of(atom->v[i]))),
                                    tw_vec3_scale(dt, vec3_of(atom->omega[i])),
                                    atom->radius[i],
                                    mass_of(i)};
    const tw_contact_law &law = laws[atom->type[i]];
    const bool touched = present[i] && tw_contact_law_lives(&law, 1, contacts.memory[i].zeta);
    if (!touched && !tw_contact_law_begins(&law, plane.radius - plane.distance)) return false;
    ContactState contact = {};
    if (touched) {
        contact = contacts[i];
    } else {
        contact.memory = tw_contact_plane_memory_fresh(&plane);
        contact.extra = tw_contact_parts_begin(&contact.memory);
    }
    const tw_contact_motion motion = tw_contact_plane_motion(law.kind, &plane, &contact.memory);
    tw_contact_advance_inline(&law, &motion, dt, &contact.memory, &contact.extra, load);
    contact.lost += load->work_dissipated;
    contact.sliding = load->sliding;
    add_losses(losses, 1.0, *load);
    if (!load->touching) contact.extra = tw_contact_parts_end(&contact.extra, load);
    contacts.set(i, contact);
    return load->touching || tw_contact_law_acts_on(&law);
}

void FixWallTwirl::add_force(int i, const tw_contact_load &load)
{
    const tw_contact_memory &m = contacts.memory[i];
    stored.add(1.0, stored_energy(law_at(i), m, contacts.extra(i)));
    vec3_add(atom->f[i], 1.0, load.f);
    vec3_add(atom->torque[i], atom->radius[i] - 0.5 * m.zeta, tw_vec3_cross(m.n, load.f));
    vec3_add(atom->torque[i], 1.0, load.couple);
    total = tw_vec3_sub(total, load.f);
    if (!load.touching) return;
    touching += 1.0;
    sliding += contacts.sliding[i];
}

void FixWallTwirl::post_force(int)
{
    const double dt = update->dt;
    const bool begin = update->setupflag != 0;
    if (!begin) point = tw_vec3_add_scaled(point, dt, velocity);
    total = {};
    stored = {};
    touching = sliding = 0.0;
    for (int i = 0; i < atom->nlocal; i++) {
        tw_contact_load load;
        if (!(atom->mask[i] & groupbit)) continue;
        present[i] = begin ? restore(i, &load) : advance(i, dt, &load);
        if (present[i]) add_force(i, load);
    }
    /* clang-format off */
    const double values[SUMS] = {total.x, total.y, total.z,
                                 TW_CONTACT_STORED_FIRST(TWIRL_LAMMPS_STORED, stored)
                                 TW_CONTACT_LOST_FIRST(TWIRL_LAMMPS_LOST, losses)
                                 touching, sliding, point.x, point.y, point.z,
                                 TW_CONTACT_STORED_MORE(TWIRL_LAMMPS_STORED, stored)
                                 TW_CONTACT_LOST_MORE(TWIRL_LAMMPS_LOST, losses)};
    /* clang-format on */
    std::copy(values, values + SUMS, sums);
    summed = -1; /* sums over processes come later */
}

double FixWallTwirl::compute_vector(int n)
{
    if (n >= POSITION && n < POSITION + 3) return sums[n];
    if (summed != update->ntimestep) MPI_Allreduce(sums, all, SUMS, MPI_DOUBLE, MPI_SUM, world);
    summed = update->ntimestep;
    return all[n];
}

/* ---- Migration and restart ---- */

void FixWallTwirl::grow_arrays(int nmax)
{
    contacts.resize(nmax);
    present.resize(nmax, 0);
}

void FixWallTwirl::copy_arrays(int from, int to, int)
{
    contacts.set(to, contacts[from]);
    present[to] = present[from];
}

void FixWallTwirl::set_arrays(int i)
{
    present[i] = 0;
}

/* 0, or 1 and the contact. */
int FixWallTwirl::pack_exchange(int i, double *buffer)
{
    buffer[0] = present[i];
    if (!present[i]) return 1;
    return static_cast<int>(contacts.pack(i, buffer + 1) - buffer);
}

int FixWallTwirl::unpack_exchange(int i, double *buffer)
{
    present[i] = buffer[0] != 0.0;
    if (!present[i]) return 1;
    const double *from = buffer + 1;
    contacts.set(i, contacts.unpack(from));
    return static_cast<int>(from - buffer);
}

void FixWallTwirl::write_restart(FILE *file)
{
    write_global(file, {point.x, point.y, point.z, static_cast<double>(contacts.mask())});
}

void FixWallTwirl::restart(char *buffer)
{
    const std::vector<double> in = read_global(buffer, 4);
    point = vec3_of(in.data());
    contacts.keep(static_cast<uint32_t>(in[3])); /* the form of the contacts that follow */
}

int FixWallTwirl::size_restart(int i)
{
    return present[i] ? contacts.values() + 2 : 2;
}

int FixWallTwirl::maxsize_restart()
{
    return maxexchange + 1;
}

double FixWallTwirl::memory_usage()
{
    return static_cast<double>(contacts.bytes() + present.capacity());
}

} // namespace twirl_lammps
