/* SPDX-License-Identifier: GPL-2.0-only */
#include "law_arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

static std::string refinements()
{
    std::string names;
    for (uint32_t bit = 1; bit & TW_CONTACT_ALL; bit <<= 1)
        names += std::string(names.empty() ? "" : ", ") + tw_contact_refinement_name(bit);
    return names;
}

int read_law_arguments(LAMMPS *lmp, const std::string &command, int narg, char **arg, int at,
                       tw_contact_law *law)
{
    const std::string key = arg[at];
    if (key != "law" && key != "without") return 0;
    if (at + 1 >= narg)
        error_all(lmp->error, "Illegal " + command + " command: " + key + " needs a value");
    if (key == "law") {
        law->kind = tw_contact_kind_named(arg[at + 1]);
        if (law->kind < 0)
            error_all(lmp->error, "Illegal " + command + " command: unknown law '" +
                                      std::string(arg[at + 1]) +
                                      "'; expected exact, paper or conventional");
        return 2;
    }
    std::istringstream names(arg[at + 1]);
    for (std::string name; std::getline(names, name, ',');) {
        const uint32_t bit = tw_contact_refinement_named(name.c_str());
        if (!bit)
            error_all(lmp->error, "Illegal " + command + " command: unknown refinement '" + name +
                                      "'; expected " + refinements());
        law->refine &= ~bit;
    }
    return 2;
}

double read_number(LAMMPS *lmp, const std::string &command, const char *what, const char *word)
{
    char *end;
    const double value = std::strtod(word, &end);
    if (end == word || *end || !std::isfinite(value))
        error_all(lmp->error, "Illegal " + command + " command: " + what +
                                  " must be a finite number, not '" + word + "'");
    return value;
}

void check_law(LAMMPS *lmp, const std::string &command, const tw_contact_law &law)
{
    const char *why = tw_contact_law_check(&law);
    if (why) error_all(lmp->error, "Illegal " + command + " command: " + why);
}

void read_law_constants(LAMMPS *lmp, const std::string &command, int count, char **arg,
                        tw_contact_law *law)
{
    law->kn = read_number(lmp, command, "kn", arg[0]);
    law->kt = read_number(lmp, command, "kt", arg[1]);
    law->mu = read_number(lmp, command, "mu", arg[2]);
    law->nu_n = count > 3 ? read_number(lmp, command, "nu", arg[3]) : 0.0;
    check_law(lmp, command, *law);
}

/* Two springs or dashpots in series, each with twice the value of its like pair. */
static double in_series(double a, double b)
{
    return a + b > 0.0 ? 2.0 * a / (a + b) * b : 0.0;
}

tw_contact_law mix_laws(const tw_contact_law &a, const tw_contact_law &b)
{
    tw_contact_law law = a;
    law.kn = in_series(a.kn, b.kn);
    law.kt = in_series(a.kt, b.kt);
    law.nu_n = in_series(a.nu_n, b.nu_n);
    law.mu = std::min(a.mu, b.mu);
    return law;
}

} // namespace twirl_lammps
