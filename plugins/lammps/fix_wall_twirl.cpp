/* SPDX-License-Identifier: GPL-2.0-only */
#include "fix_wall_twirl.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "contact_file.h"
#include "law_arguments.h"

#include <twirl/contact_law.h>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

static const char *const COMMAND = "fix wall/twirl";

/* Rounding error allowed in the component of a periodic edge along the normal. */
static const double TOLERANCE_EDGE = 1e-9;

/* Order of the values of compute_vector. */
enum {
    FORCE_X,
    FORCE_Y,
    FORCE_Z,
    NORMAL,
    TANGENTIAL,
    FRICTION,
    VISCOUS,
    CONTACTS,
    SLIDING,
    POSITION
};

FixWallTwirl::FixWallTwirl(LAMMPS *host, int narg, char **arg)
    : Fix(host, narg, arg), law(tw_contact_law_default()), point(), normal(), velocity()
{
    read_arguments(narg, arg);
    if (!atom->radius_flag || !atom->omega_flag || !atom->torque_flag)
        error_all(error, "Fix wall/twirl requires atoms with radius, omega and torque: atom_style "
                         "sphere");
    vector_flag = 1;
    size_vector = SUMS;
    global_freq = 1;
    extvector = 1;
    restart_global = restart_peratom = 1;
    create_attribute = 1;
    maxexchange = STATE_VALUES + 1;
    FixWallTwirl::grow_arrays(atom->nmax);
    atom->add_callback(Atom::GROW);
    atom->add_callback(Atom::RESTART);
}

FixWallTwirl::~FixWallTwirl()
{
    atom->delete_callback(id, Atom::GROW);
    atom->delete_callback(id, Atom::RESTART);
}

/* ID group wall/twirl kn kt mu nu plane px py pz nx ny nz ... */
void FixWallTwirl::read_arguments(int narg, char **arg)
{
    if (narg < 14 || std::strcmp(arg[7], "plane"))
        error_all(error,
                  "Illegal fix wall/twirl command: fix ID group wall/twirl kn kt mu nu plane "
                  "px py pz nx ny nz is expected");
    double p[6];
    for (int k = 0; k < 6; k++)
        p[k] = read_number(lmp, COMMAND, "the plane", arg[8 + k]);
    point = vec3_of(p);
    const double length = tw_vec3_norm(vec3_of(p + 3));
    if (!(length > 0.0)) error_all(error, "Illegal fix wall/twirl command: the normal is zero");
    normal = tw_vec3_scale(1.0 / length, vec3_of(p + 3));
    for (int at = 14; at < narg;) {
        const std::string key = arg[at];
        const int read = read_law_arguments(lmp, COMMAND, narg, arg, at, &law);
        if (read) {
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
    read_law_constants(lmp, COMMAND, 4, arg + 3, &law);
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
    if (!contacts_path.empty() && !restart_reset) read_contacts();
    contacts_path.clear();
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
    std::vector<int> here(rows.size(), 0), found(rows.size(), 0);
    for (int i = 0; i < atom->nlocal; i++) {
        const auto entry = of_atom.find(atom->tag[i]);
        if (entry == of_atom.end() || !(atom->mask[i] & groupbit)) continue;
        const FileContact &row = rows[entry->second];
        const double zeta = atom->radius[i] - distance(i);
        if (!(zeta > 0.0)) continue;
        contacts[i] = {{tw_vec3_scale(-1.0, normal), zeta, row.ft}, 0.0, row.drag, 0.0};
        here[entry->second] = 1;
    }
    MPI_Allreduce(here.data(), found.data(), static_cast<int>(here.size()), MPI_INT, MPI_MAX,
                  world);
    for (size_t k = 0; k < rows.size(); k++) {
        if (!found[k])
            error_all(error, "Fix wall/twirl: " + contacts_path + ", line " +
                                 std::to_string(rows[k].line) + ": atom " +
                                 std::to_string(rows[k].id[0]) + " does not touch the plane");
    }
}

void FixWallTwirl::setup(int vflag)
{
    post_force(vflag);
}

/* No time passes at the start of a run: the stored force acts, unless the atom was moved by hand.
 */
bool FixWallTwirl::restore(int i, tw_contact_load *load)
{
    ContactState &contact = contacts[i];
    const tw_vec3 n = tw_vec3_scale(-1.0, normal), zero = {0.0, 0.0, 0.0};
    const double zeta = atom->radius[i] - distance(i);
    const bool touched = contact.memory.zeta > 0.0;
    const bool moved = std::fabs(zeta - contact.memory.zeta) > TOLERANCE * atom->radius[i];
    if (!(zeta > 0.0) && (!touched || moved)) return false;
    if (!touched) contact = {{n, zeta, zero}, 0.0, zero, 0.0};
    if (moved) contact.memory.zeta = zeta;
    const tw_contact_memory &m = contact.memory;
    *load = tw_contact_load{};
    load->fn = tw_contact_law_normal_force(&law, m.zeta);
    load->f = tw_vec3_add(tw_contact_law_elastic_force(&law, &m), contact.drag);
    load->work_normal = tw_contact_law_stored_normal(&law, m.zeta);
    return true;
}

bool FixWallTwirl::advance(int i, double dt, tw_contact_load *load)
{
    ContactState &contact = contacts[i];
    const tw_contact_plane plane = {normal,
                                    distance(i),
                                    tw_vec3_scale(dt, tw_vec3_sub(velocity, vec3_of(atom->v[i]))),
                                    tw_vec3_scale(dt, vec3_of(atom->omega[i])),
                                    atom->radius[i],
                                    0.0};
    const bool touched = contact.memory.zeta > 0.0;
    if (!touched && plane.distance >= plane.radius) return false;
    if (!touched) contact = {tw_contact_plane_memory_fresh(&plane), 0.0, {0.0, 0.0, 0.0}, 0.0};
    const tw_contact_motion motion = tw_contact_plane_motion(law.kind, &plane, &contact.memory);
    tw_contact_advance(&law, &motion, dt, &contact.memory, nullptr, load);
    contact.lost += load->work_dissipated;
    contact.sliding = load->sliding;
    contact.drag = tw_vec3_scale(law.nu_n / dt, motion.du);
    sums[FRICTION] += load->work_dissipated;
    sums[VISCOUS] += load->work_viscous;
    return load->touching != 0;
}

void FixWallTwirl::add_force(int i, const tw_contact_load &load)
{
    const tw_contact_memory &m = contacts[i].memory;
    vec3_add(atom->f[i], 1.0, load.f);
    vec3_add(atom->torque[i], atom->radius[i] - 0.5 * m.zeta, tw_vec3_cross(m.n, load.f));
    vec3_add(sums + FORCE_X, -1.0, load.f);
    sums[NORMAL] += load.work_normal;
    sums[TANGENTIAL] += tw_contact_law_stored_tangential(&law, m.zeta, m.ft);
    sums[CONTACTS] += 1.0;
    sums[SLIDING] += contacts[i].sliding;
}

void FixWallTwirl::post_force(int)
{
    const double dt = update->dt;
    const bool begin = update->setupflag != 0;
    if (!begin) point = tw_vec3_add_scaled(point, dt, velocity);
    for (const int k : {FORCE_X, FORCE_Y, FORCE_Z, NORMAL, TANGENTIAL, CONTACTS, SLIDING})
        sums[k] = 0.0;
    for (int i = 0; i < atom->nlocal; i++) {
        tw_contact_load load;
        if (!(atom->mask[i] & groupbit)) continue;
        if (begin ? restore(i, &load) : advance(i, dt, &load))
            add_force(i, load);
        else
            contacts[i].memory.zeta = 0.0;
    }
    /* Sums over processes come later; the position is the same on all. */
    const double place[3] = {point.x, point.y, point.z};
    std::copy(place, place + 3, sums + POSITION);
    summed = -1;
}

double FixWallTwirl::compute_vector(int n)
{
    if (n >= POSITION) return sums[n];
    if (summed != update->ntimestep) MPI_Allreduce(sums, all, POSITION, MPI_DOUBLE, MPI_SUM, world);
    summed = update->ntimestep;
    return all[n];
}

/* ---- Migration and restart ---- */

void FixWallTwirl::grow_arrays(int nmax)
{
    contacts.resize(nmax, ContactState{});
}

void FixWallTwirl::copy_arrays(int from, int to, int)
{
    contacts[to] = contacts[from];
}

void FixWallTwirl::set_arrays(int i)
{
    contacts[i] = ContactState{};
}

/* 0, or 1 and the contact. */
int FixWallTwirl::pack_exchange(int i, double *buffer)
{
    buffer[0] = contacts[i].memory.zeta > 0.0;
    if (buffer[0] == 0.0) return 1;
    pack_state(contacts[i], buffer + 1);
    return STATE_VALUES + 1;
}

int FixWallTwirl::unpack_exchange(int i, double *buffer)
{
    contacts[i] = buffer[0] == 0.0 ? ContactState{} : unpack_state(buffer + 1);
    return buffer[0] == 0.0 ? 1 : STATE_VALUES + 1;
}

void FixWallTwirl::write_restart(FILE *file)
{
    double out[5] = {point.x, point.y, point.z, 0.0, 0.0};
    MPI_Allreduce(sums + FRICTION, out + 3, 2, MPI_DOUBLE, MPI_SUM, world);
    if (comm->me) return;
    const int size = sizeof out;
    fwrite(&size, sizeof size, 1, file);
    fwrite(out, sizeof out, 1, file);
}

void FixWallTwirl::restart(char *buffer)
{
    double in[5];
    std::memcpy(in, buffer, sizeof in);
    point = vec3_of(in);
    sums[FRICTION] = comm->me == 0 ? in[3] : 0.0;
    sums[VISCOUS] = comm->me == 0 ? in[4] : 0.0;
}

int FixWallTwirl::pack_restart(int i, double *buffer)
{
    const int size = 1 + pack_exchange(i, buffer + 1);
    buffer[0] = size;
    return size;
}

void FixWallTwirl::unpack_restart(int i, int nth)
{
    double *from = atom->extra[i];
    for (int k = 0; k < nth; k++)
        from += static_cast<int>(*from);
    unpack_exchange(i, from + 1);
}

int FixWallTwirl::size_restart(int i)
{
    return contacts[i].memory.zeta > 0.0 ? STATE_VALUES + 2 : 2;
}

int FixWallTwirl::maxsize_restart()
{
    return STATE_VALUES + 2;
}

double FixWallTwirl::memory_usage()
{
    return static_cast<double>(contacts.capacity() * sizeof(ContactState));
}

} // namespace twirl_lammps
