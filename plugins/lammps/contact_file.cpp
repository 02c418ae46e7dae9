/* SPDX-License-Identifier: GPL-2.0-only */
#include "contact_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace LAMMPS_NS;

namespace twirl_lammps
{

/* The whole file, on every process. A length of -1 means that it cannot be read. */
static std::string read_on_all_ranks(LAMMPS *lmp, const std::string &path)
{
    std::string text;
    int rank, length = -1;
    MPI_Comm_rank(lmp->world, &rank);
    if (rank == 0) {
        std::ifstream file(path, std::ios::binary);
        if (file) {
            text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
            length = static_cast<int>(text.size());
        }
    }
    MPI_Bcast(&length, 1, MPI_INT, 0, lmp->world);
    if (length < 0) error_all(lmp->error, "Cannot open contact file " + path);
    text.resize(length);
    MPI_Bcast(&text[0], length, MPI_CHAR, 0, lmp->world);
    return text;
}

/* The columns that follow ids, normal, overlap and tangential force. */
typedef std::vector<uint32_t> ExtraColumns;

static int count_values(const ExtraColumns &columns)
{
    int count = 0;
    for (uint32_t part : columns)
        count += static_cast<int>(tw_contact_part_at(part)->numbers);
    return count;
}

class Reader
{
  public:
    Reader(LAMMPS *host, const std::string &name) : lmp(host), path(name)
    {
    }

    [[noreturn]] void fail(int line, const std::string &what) const
    {
        error_all(lmp->error,
                  "Contact file " + path + ", line " + std::to_string(line) + ": " + what);
    }

    /* The words of a line, without its comment. */
    static std::vector<std::string> words(const std::string &line)
    {
        std::vector<std::string> out;
        std::istringstream stream(line.substr(0, line.find('#')));
        for (std::string word; stream >> word;)
            out.push_back(word);
        return out;
    }

    std::vector<double> numbers(const std::vector<std::string> &row, int line) const
    {
        std::vector<double> out;
        for (const std::string &word : row) {
            char *end;
            out.push_back(std::strtod(word.c_str(), &end));
            if (*end || !std::isfinite(out.back()))
                fail(line, "'" + word + "' is not a finite number");
        }
        return out;
    }

    /* The first line: the number of contacts, and the names of further columns. */
    double count(const std::vector<std::string> &row, int line, ExtraColumns *columns) const
    {
        const double count = numbers({row[0]}, line)[0];
        if (count < 0.0) fail(line, "expected the number of contacts");
        for (size_t k = 1; k < row.size(); k++) {
            std::string known;
            const uint32_t found = tw_contact_part_named(row[k].c_str());
            for (uint32_t part = 0; part < tw_contact_part_count(); part++)
                known += (part ? ", " : "") + std::string(tw_contact_part_at(part)->name);
            if (found == tw_contact_part_count())
                fail(line, "expected the number of contacts, then names of columns: " + known +
                               "; found '" + row[k] + "'");
            columns->push_back(found);
        }
        return count;
    }

    FileContact contact(const std::vector<double> &row, int ids, int line,
                        const ExtraColumns &columns) const
    {
        FileContact out = {};
        const double *v = row.data() + ids;
        out.line = line;
        /* A double tells whole numbers apart up to 2^53; MAXTAGINT may be 2^63 - 1. */
        const double largest = std::min(static_cast<double>(MAXTAGINT), 9007199254740992.0);
        for (int k = 0; k < ids; k++) {
            if (!(row[k] >= 1.0) || row[k] != std::floor(row[k]) || row[k] > largest)
                fail(line, "atom ids must be positive integers");
            out.id[k] = static_cast<tagint>(row[k]);
        }
        out.state.memory = {vec3_of(v), v[3], vec3_of(v + 4)};
        if (std::fabs(tw_vec3_norm(out.state.memory.n) - 1.0) > 1e-6)
            fail(line, "the normal is not a unit vector");
        if (!(out.state.memory.zeta > 0.0)) fail(line, "the overlap must be > 0");
        out.state.extra = tw_contact_parts_missing(&out.state.memory);
        v += 7;
        const tw_contact_extra extra =
            tw_contact_extra_of(TW_CONTACT_EXTRA_ALL, reinterpret_cast<double *>(&out.state.extra));
        for (uint32_t part : columns) {
            const uint32_t numbers = tw_contact_part_at(part)->numbers;
            std::copy_n(v, numbers, extra.part[part]);
            v += numbers;
        }
        tw_contact_parts_complete(&out.state.extra);
        return out;
    }

  private:
    LAMMPS *lmp;
    std::string path;
};

std::vector<FileContact> read_contact_file(LAMMPS *lmp, const std::string &path, int ids)
{
    const Reader reader(lmp, path);
    std::istringstream lines(read_on_all_ranks(lmp, path));
    std::vector<FileContact> out;
    ExtraColumns columns;
    double count = -1.0;
    int at = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> words = Reader::words(line);
        at++;
        if (words.empty()) continue;
        if (count < 0.0) {
            count = reader.count(words, at, &columns);
            continue;
        }
        const std::vector<double> row = reader.numbers(words, at);
        /* A damping force may follow without a name. */
        if (columns.empty() && out.empty() && row.size() == static_cast<size_t>(ids) + 10)
            columns.push_back(TW_CONTACT_PART_drag);
        const size_t expected = static_cast<size_t>(ids) + 7 + count_values(columns);
        if (row.size() != expected)
            reader.fail(at, std::to_string(expected) + " numbers expected, found " +
                                std::to_string(row.size()));
        out.push_back(reader.contact(row, ids, at, columns));
    }
    if (static_cast<double>(out.size()) != count)
        reader.fail(at, "the number of contacts does not match the number of lines, " +
                            std::to_string(out.size()));
    return out;
}

void check_all_found(LAMMPS *lmp, const std::string &style, const std::string &path,
                     const std::vector<FileContact> &rows, const std::vector<int> &here)
{
    std::vector<int> all(here.size());
    MPI_Allreduce(here.data(), all.data(), static_cast<int>(here.size()), MPI_INT, MPI_MAX,
                  lmp->world);
    for (size_t k = 0; k < rows.size(); k++) {
        const std::string p = std::to_string(rows[k].id[0]), q = std::to_string(rows[k].id[1]);
        if (!all[k])
            error_all(lmp->error,
                      style + ": " + path + ", line " + std::to_string(rows[k].line) +
                          (rows[k].id[1] ? ": atoms " + p + " and " + q +
                                               " do not touch in this direction with this overlap"
                                         : ": atom " + p + " does not touch the plane"));
    }
}

} // namespace twirl_lammps
