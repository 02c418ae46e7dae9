/* SPDX-License-Identifier: GPL-2.0-only */
#include "contact_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

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

    /* The numbers of a line, without its comment. */
    std::vector<double> numbers(std::string line, int at) const
    {
        std::vector<double> out;
        std::istringstream words(line.substr(0, line.find('#')));
        for (std::string word; words >> word;) {
            char *end;
            out.push_back(std::strtod(word.c_str(), &end));
            if (*end || !std::isfinite(out.back()))
                fail(at, "'" + word + "' is not a finite number");
        }
        return out;
    }

    FileContact contact(const std::vector<double> &row, int ids, int line) const
    {
        FileContact out = {};
        const double *v = row.data() + ids;
        out.line = line;
        for (int k = 0; k < ids; k++) {
            if (!(row[k] >= 1.0) || row[k] != std::floor(row[k]) || row[k] > MAXTAGINT)
                fail(line, "atom ids must be positive integers");
            out.id[k] = static_cast<tagint>(row[k]);
        }
        out.n = vec3_of(v);
        out.zeta = v[3];
        out.ft = vec3_of(v + 4);
        if (row.size() > static_cast<size_t>(ids) + 7) out.drag = vec3_of(v + 7);
        if (std::fabs(tw_vec3_norm(out.n) - 1.0) > 1e-6)
            fail(line, "the normal is not a unit vector");
        if (!(out.zeta > 0.0)) fail(line, "the overlap must be > 0");
        return out;
    }

  private:
    LAMMPS *lmp;
    std::string path;
};

std::vector<FileContact> read_contact_file(LAMMPS *lmp, const std::string &path, int ids)
{
    const Reader reader(lmp, path);
    const size_t least = ids + 7, most = ids + 10;
    std::istringstream lines(read_on_all_ranks(lmp, path));
    std::vector<FileContact> out;
    double count = -1.0;
    int at = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<double> row = reader.numbers(line, ++at);
        if (row.empty()) continue;
        if (count < 0.0) {
            count = row[0];
            if (row.size() != 1 || count < 0.0) reader.fail(at, "expected the number of contacts");
            continue;
        }
        if (row.size() != least && row.size() != most)
            reader.fail(at, std::to_string(least) + " or " + std::to_string(most) +
                                " numbers expected, found " + std::to_string(row.size()));
        out.push_back(reader.contact(row, ids, at));
    }
    if (static_cast<double>(out.size()) != count)
        reader.fail(at, "the number of contacts does not match the number of lines, " +
                            std::to_string(out.size()));
    return out;
}

/* ---- Writing ---- */

static void add_numbers(std::string *text, const tw_vec3 &v)
{
    char words[96];
    std::snprintf(words, sizeof words, " %.17g %.17g %.17g", v.x, v.y, v.z);
    *text += words;
}

static std::string format_rows(const std::vector<FileContact> &contacts, bool damped)
{
    std::string text;
    for (const FileContact &c : contacts) {
        char zeta[32];
        std::snprintf(zeta, sizeof zeta, " %.17g", c.zeta);
        text += std::to_string(c.id[0]) + " " + std::to_string(c.id[1]);
        add_numbers(&text, c.n);
        text += zeta;
        add_numbers(&text, c.ft);
        if (damped) add_numbers(&text, c.drag);
        text += '\n';
    }
    return text;
}

/* Messages are limited to 2^31 bytes. One that is shorter than a piece is the last of its sender.
 */
static const size_t piece = size_t(1) << 30;

static void send_text(LAMMPS *lmp, const std::string &text)
{
    for (size_t at = 0;; at += piece) {
        const size_t length = std::min(piece, text.size() - at);
        MPI_Send(text.data() + at, static_cast<int>(length), MPI_CHAR, 0, 0, lmp->world);
        if (length < piece) return;
    }
}

static void receive_text(LAMMPS *lmp, int rank, std::ofstream *file)
{
    std::string text;
    int length;
    do {
        MPI_Status status;
        MPI_Probe(rank, 0, lmp->world, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        text.resize(static_cast<size_t>(length));
        MPI_Recv(&text[0], length, MPI_CHAR, rank, 0, lmp->world, MPI_STATUS_IGNORE);
        *file << text;
    } while (static_cast<size_t>(length) == piece);
}

/* Brings a file, or the names in a folder, to the disk. */
static bool sync_path(const std::string &path)
{
    const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return false;
    const bool synced = fsync(opened) == 0;
    close(opened);
    return synced;
}

/* The file takes its name only when it is complete and on the disk. The library has this too
 * (src/base/replace_file.h), but the plugin links the kernel alone. */
static bool write_lines(LAMMPS *lmp, const std::string &path, double count, const std::string &text)
{
    int ranks;
    MPI_Comm_size(lmp->world, &ranks);
    const std::string temporary = path + ".tmp";
    std::ofstream file(temporary, std::ios::binary);
    file << "# twirl contacts 1\n" << static_cast<long long>(count) << '\n' << text;
    for (int rank = 1; rank < ranks; rank++)
        receive_text(lmp, rank, &file);
    file.close();
    if (!file || !sync_path(temporary) || std::rename(temporary.c_str(), path.c_str()) != 0) {
        std::remove(temporary.c_str());
        return false;
    }
    /* Not every file system can sync a folder: no reason to call the write failed. */
    (void)sync_path(path.substr(0, path.rfind('/') + 1) + ".");
    return true;
}

void write_contact_file(LAMMPS *lmp, const std::string &path, const std::vector<FileContact> &here,
                        bool damped)
{
    const std::string text = format_rows(here, damped);
    const double count = static_cast<double>(here.size());
    double all;
    int rank, good = 1;
    MPI_Comm_rank(lmp->world, &rank);
    MPI_Allreduce(&count, &all, 1, MPI_DOUBLE, MPI_SUM, lmp->world);
    if (rank == 0)
        good = write_lines(lmp, path, all, text);
    else
        send_text(lmp, text);
    MPI_Bcast(&good, 1, MPI_INT, 0, lmp->world);
    if (!good) error_all(lmp->error, "Cannot write contact file " + path);
}

} // namespace twirl_lammps
