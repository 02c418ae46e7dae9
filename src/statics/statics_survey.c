/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is found out about a state: its equilibrium, rates in many directions, the verdict; and
 * the files with it. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/statics.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

enum { SIX = TW_COMPONENTS };

tw_statics_survey_def tw_statics_survey_def_default(void)
{
    return (tw_statics_survey_def){.count = 72, .axis = 2};
}

/* ---- Directions in the Rendulic plane ---- */

static double angle_of(const tw_statics_survey *s, size_t k)
{
    return 360.0 * (double)k / (double)s->def.count;
}

static void put_direction(const tw_statics_survey *s, size_t k, double unit[SIX])
{
    const double angle = angle_of(s, k) * (TW_MATH_PI / 180.0);
    const double volumetric = tw_math_cos(angle) / sqrt(3.0);
    const double deviatoric = tw_math_sin(angle) / sqrt(6.0);
    for (int i = 0; i < SIX; i++)
        unit[i] = i >= 3 ? 0.0 : volumetric + (i == s->def.axis ? 2.0 : -1.0) * deviatoric;
}

/* ---- The survey ---- */

static int goes_on(const tw_statics_survey_def *def)
{
    return !def->watch || def->watch(def->context) == 0;
}

static tw_status solve_all(tw_statics_survey *s, const tw_statics_rates *rates, tw_error *error)
{
    for (size_t k = 0; k < s->def.count; k++) {
        tw_statics_rate *r = &s->rate[k];
        double unit[SIX];
        if (!goes_on(&s->def)) return tw_error_set(error, TW_STATUS_INTERRUPTED, "interrupted");
        put_direction(s, k, unit);
        const tw_status status = tw_statics_rates_solve(rates, s->def.by_stress, unit, r, error);
        if (status != TW_STATUS_OK) return status;
        s->solved++;
        s->unsolved += r->found == TW_STATICS_NOTHING;
        s->negative += r->work < 0.0;
        if (r->sliding > s->sliding) s->sliding = r->sliding;
    }
    return tw_statics_rates_judge(rates, s->def.by_stress, &s->judgement, error);
}

static tw_status list_certificate(tw_statics_survey *s, tw_sim *still, tw_error *error)
{
    const tw_statics_judgement *j = &s->judgement;
    tw_contact_state *all;
    size_t count;
    const tw_status status = tw_sim_list_contacts(still, &all, &count, error);
    for (size_t k = 0; k < j->certificate_count && status == TW_STATUS_OK; k++)
        s->certificate[k] = all[j->certificate[k]];
    free(all);
    return status;
}

static tw_status survey(tw_statics_survey *s, tw_sim *still, tw_error *error)
{
    tw_statics_def def = tw_statics_def_default();
    def.shift = 1e-8;
    tw_statics *statics = tw_statics_create(still, &def, error);
    tw_statics_rates *rates = statics ? tw_statics_rates_create(statics, error) : NULL;
    tw_status status = rates ? TW_STATUS_OK : error->status;
    if (rates) {
        s->problem = tw_statics_rates_problem(rates);
        s->rate = calloc(s->def.count, sizeof *s->rate);
        status = s->rate ? solve_all(s, rates, error) : tw_error_set_memory(error);
        if (status == TW_STATUS_OK) status = list_certificate(s, still, error);
    }
    tw_statics_rates_free(rates);
    tw_statics_free(statics);
    return status;
}

tw_status tw_statics_compute_survey(tw_sim *sim, const tw_statics_survey_def *def,
                                    tw_statics_survey *out, tw_error *error)
{
    assert(sim && def && out);
    tw_statics_increment_def rest = tw_statics_increment_def_default();
    tw_error own;
    if (!error) error = &own;
    tw_error_clear(error);
    *out = (tw_statics_survey){.def = *def};
    rest.watch = def->watch;
    rest.context = def->context;
    tw_sim *still = tw_statics_increase(sim, &rest, &out->equilibrium, error);
    const tw_status status = still ? survey(out, still, error) : error->status;
    tw_sim_free(still);
    if (status != TW_STATUS_OK) tw_statics_survey_free(out);
    return status;
}

void tw_statics_survey_free(tw_statics_survey *survey)
{
    free(survey->rate);
    survey->rate = NULL;
}

const char *tw_statics_verdict_name(tw_statics_verdict verdict)
{
    static const char *const names[] = {"unique", "not unique", "undecided", "no verdict"};
    return names[verdict];
}

const char *tw_statics_found_name(tw_statics_found found)
{
    static const char *const names[] = {"sticks", "active set", "lemke", "none"};
    return names[found];
}

void tw_statics_print_bodies(const tw_contact_state *contact, char text[TW_STATICS_BODIES_TEXT])
{
    if (contact->body_q == TW_NO_BODY)
        snprintf(text, TW_STATICS_BODIES_TEXT, "body %u and a wall", contact->body_p);
    else
        snprintf(text, TW_STATICS_BODIES_TEXT, "bodies %u and %u", contact->body_p,
                 contact->body_q);
}

/* ---- Files ---- */

static const char *control_name(const tw_statics_survey *s)
{
    return s->def.by_stress ? "stress" : "strain";
}

/* A `*` stands for the six components. */
static const tw_json_field columns[] = {
    {"control", "string", NULL, NULL, "what was prescribed, a tensor of norm 1: strain or stress"},
    {"angle", "number", "deg", NULL,
     "of the direction in the Rendulic plane, from the volumetric axis towards axial compression"},
    {"x", "number", NULL, NULL, "volumetric part of the answer"},
    {"y", "number", NULL, NULL, "deviatoric part of the answer"},
    {"no_slip_x", "number", NULL, NULL, "volumetric part of the answer without slip"},
    {"no_slip_y", "number", NULL, NULL, "deviatoric part of the answer without slip"},
    {"strain_*", "number", NULL, NULL, "strain rate"},
    {"stress_*", "number", NULL, NULL, "stress rate"},
    {"no_slip_*", "number", NULL, NULL, "the answer without slip"},
    {"work", "number", NULL, NULL, "second-order work: stress rate times strain rate"},
    {"work_normalised", "number", "1", NULL, "the same over the norms of both"},
    {"sliding", "integer", "1", NULL, "contacts that slide"},
    {"found", "string", NULL, NULL, "how: sticks, active set, lemke; none: there is no answer"},
    {"turns", "integer", "1", NULL, "sets or pivots that it took"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* With the units of what is prescribed, and of the answer to it. */
static void put_units(const tw_statics_survey *s, tw_json_field out[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const int of_strain = strncmp(columns[i].name, "strain", 6) == 0;
        const int of_stress = strncmp(columns[i].name, "stress", 6) == 0;
        const int given = of_strain ? !s->def.by_stress : of_stress ? s->def.by_stress : 0;
        out[i] = columns[i];
        if (!out[i].unit) out[i].unit = given ? "1" : s->def.by_stress ? "1/Pa" : "Pa";
    }
}

/* Coordinates of a tensor in the plane. */
static void add_point(tw_text_buffer *out, const tw_statics_survey *s, const double tensor[SIX])
{
    const double axial = tensor[s->def.axis], all = tensor[0] + tensor[1] + tensor[2];
    const double at[2] = {all / sqrt(3.0), sqrt(2.0 / 3.0) * (axial - 0.5 * (all - axial))};
    tw_text_buffer_add_csv(out, at, 2);
}

static void add_row(tw_text_buffer *out, const tw_statics_survey *s, size_t k)
{
    const tw_statics_rate *r = &s->rate[k];
    const double angle = angle_of(s, k), work[2] = {r->work, r->work_normalised};
    tw_text_buffer_add(out, "%s", control_name(s));
    tw_text_buffer_add_csv(out, &angle, 1);
    add_point(out, s, s->def.by_stress ? r->strain : r->stress);
    add_point(out, s, r->no_slip);
    tw_text_buffer_add_csv(out, r->strain, SIX);
    tw_text_buffer_add_csv(out, r->stress, SIX);
    tw_text_buffer_add_csv(out, r->no_slip, SIX);
    tw_text_buffer_add_csv(out, work, 2);
    tw_text_buffer_add(out, ",%zu,%s,%zu\n", r->sliding, tw_statics_found_name(r->found), r->turns);
}

static void add_equilibrium(tw_text_buffer *out, const tw_statics_increment *e)
{
    tw_json_begin(out, "equilibrium", '{');
    tw_json_truth(out, "reached", e->reached);
    tw_json_count(out, "iterations", e->iterations);
    tw_json_count(out, "snaps", e->snaps);
    tw_json_number(out, "moved", e->moved);
    tw_json_numbers(out, "stress", e->stress, SIX, 1);
    tw_json_count(out, "contacts_gained", e->gained);
    tw_json_count(out, "contacts_lost", e->lost);
    tw_json_end(out, '}');
}

static void add_certificate(tw_text_buffer *out, const tw_statics_survey *s)
{
    tw_json_begin(out, "certificate", '[');
    for (size_t k = 0; k < s->judgement.certificate_count; k++) {
        const tw_contact_state *c = &s->certificate[k];
        tw_json_begin(out, NULL, '{');
        tw_json_count(out, "body_p", c->body_p);
        tw_json_count(out, "body_q", c->body_q);
        tw_json_number(out, "normal_force", c->fn);
        tw_json_number(out, "tangential_force", tw_vec3_norm(c->ft));
        tw_json_end(out, '}');
    }
    tw_json_end(out, ']');
}

static void add_document(tw_text_buffer *out, const tw_statics_survey *s, const char *state)
{
    static const char *const axes[] = {"x", "y", "z"};
    const tw_statics_problem *p = &s->problem;
    tw_json_begin(out, NULL, '{');
    tw_json_text(out, "state", state);
    tw_json_text(out, "control", control_name(s));
    tw_json_text(out, "axis", axes[s->def.axis]);
    tw_json_count(out, "bodies", p->bodies);
    tw_json_count(out, "contacts", p->contacts);
    tw_json_count(out, "at_limit", p->at_limit);
    tw_json_count(out, "rattlers", p->rattlers);
    tw_json_count(out, "weak", p->weak);
    tw_json_count(out, "zero_gap", p->zero_gap);
    add_equilibrium(out, &s->equilibrium);
    tw_json_number(out, "residual", p->residual);
    tw_json_count(out, "worst_body", p->worst);
    tw_json_number(out, "force_mean", p->force_mean);
    tw_json_numbers(out, "stiffness", p->stiffness, SIX * SIX, 1);
    tw_json_text(out, "verdict", tw_statics_verdict_name(s->judgement.verdict));
    add_certificate(out, s);
    tw_json_count(out, "directions", s->def.count);
    tw_json_count(out, "without_solution", s->unsolved);
    tw_json_count(out, "negative_work", s->negative);
    tw_json_count(out, "sliding", s->sliding);
    tw_json_end(out, '}');
    tw_text_buffer_add(out, "\n");
}

tw_status tw_statics_survey_write(const tw_statics_survey *s, const char *state, const char *folder,
                                  tw_error *error)
{
    assert(s && state && folder);
    static const char *const names[] = {"rates.csv", "datapackage.json", "rates.json"};
    tw_text_buffer text[3] = {{0}};
    tw_json_field fields[COLUMNS];
    tw_status status = TW_STATUS_OK;
    put_units(s, fields);
    tw_json_table_header(&text[0], fields, COLUMNS);
    for (size_t k = 0; k < s->def.count; k++)
        add_row(&text[0], s, k);
    tw_json_package_begin(&text[1], "twirl-rates");
    tw_json_table(&text[1], "rates", fields, COLUMNS);
    tw_json_package_end(&text[1]);
    add_document(&text[2], s, state);
    for (int k = 0; k < 3; k++) {
        if (status == TW_STATUS_OK)
            status =
                tw_replace_file_text(tw_folder_path_join(folder, names[k]).text, &text[k], error);
        tw_text_buffer_free(&text[k]);
    }
    return status;
}

/* What follows a member's name, in a document without blanks; NULL: there is none. */
static const char *value_of(const char *document, const char *member)
{
    const char *at = strstr(document, member);
    return at ? at + strlen(member) : NULL;
}

static bool read_verdict(const char *at, tw_statics_verdict *verdict)
{
    for (int k = TW_STATICS_UNIQUE; k <= TW_STATICS_NO_VERDICT; k++) {
        const char *name = tw_statics_verdict_name((tw_statics_verdict)k);
        const size_t length = strlen(name);
        if (strncmp(at, name, length) != 0 || at[length] != '"') continue;
        *verdict = (tw_statics_verdict)k;
        return true;
    }
    return false;
}

/* Numbers as tw_json_count writes them. */
static bool read_certificate(const char *at, tw_statics_survey *out)
{
    size_t *count = &out->judgement.certificate_count;
    for (int length = 0; *at == '{'; at += length + (at[length] == ','), length = 0) {
        tw_contact_state *c = &out->certificate[*count];
        if (*count == TW_STATICS_CERTIFICATE ||
            sscanf(at, "{\"body_p\":%10" SCNu32 ",\"body_q\":%10" SCNu32 ",%*[^}]}%n", &c->body_p,
                   &c->body_q, &length) != 2 ||
            length == 0)
            return false;
        ++*count;
    }
    return *at == ']';
}

tw_status tw_statics_survey_read(const char *folder, tw_statics_survey *out, tw_error *error)
{
    assert(folder && out);
    const tw_folder_path path = tw_folder_path_join(folder, "rates.json");
    tw_text_buffer plain = {0};
    size_t length;
    tw_error own;
    if (!error) error = &own;
    *out = (tw_statics_survey){0};
    char *text = tw_read_file_all(path.text, &length, error);
    if (!text) return error->status;
    const bool formed = tw_json_copy(&plain, NULL, text, length);
    free(text);
    if (plain.failed) return tw_error_set_memory(error);
    const char *verdict = formed ? value_of(plain.text, "\"verdict\":\"") : NULL;
    const char *certificate = formed ? value_of(plain.text, "\"certificate\":[") : NULL;
    const bool read = verdict && certificate && read_verdict(verdict, &out->judgement.verdict) &&
                      read_certificate(certificate, out);
    tw_text_buffer_free(&plain);
    if (read) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: it has no verdict with a certificate, as 'twirl rates' writes them",
                        path.text);
}
