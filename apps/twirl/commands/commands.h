/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands. Each returns an exit status; argv[0] is its full name, such as "twirl contact". */
#ifndef TWIRL_APP_COMMANDS_H
#define TWIRL_APP_COMMANDS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The program, under a name such as "twirl"; its exit status. */
int tw_program_main(const char *program, int argc, char **argv);

/* Whether the word is a command, or was one. */
int tw_program_has(const char *word);

/* Whether the command line has something that was removed; says what to use instead. */
int tw_program_refuse_removed(int argc, char **argv);

int tw_check_command(int argc, char **argv);
int tw_cite_command(int argc, char **argv);
int tw_contact_command(int argc, char **argv);
int tw_export_command(int argc, char **argv);
int tw_import_command(int argc, char **argv);
int tw_info_command(int argc, char **argv);
int tw_keys_command(int argc, char **argv);
int tw_moduli_command(int argc, char **argv);
int tw_movie_command(int argc, char **argv);
int tw_plot_command(int argc, char **argv);
int tw_rates_command(int argc, char **argv);
int tw_render_command(int argc, char **argv);
int tw_report_command(int argc, char **argv);
int tw_run_command(int argc, char **argv);
int tw_sweep_command(int argc, char **argv);
int tw_watch_command(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
