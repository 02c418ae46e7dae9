/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes for the contact law: three laws in a packing, refinements off, single contacts. */
#include "scene.h"

static const tw_mat3 shear = {{-10.0, 40.0, 0.0, 0.0, 0.0, 0.0, 20.0, 0.0, -10.0}};

/* ---- A law in a packing ---- */

static void play_law(golden *g, int32_t kind)
{
    tw_sim *sim = scene_packing(g, 4, SCENE_BUMPY, 11);
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.kind = kind;
    law.nu_n = law.nu_t = 0.05;
    scene_set_law(sim, &law);
    golden_record(g, "pressed", sim);
    tw_sim_set_velocity_gradient(sim, &shear);
    scene_run(sim, 1000);
    golden_record(g, "sheared", sim);
    tw_sim_free(sim);
}

static void play_exact(golden *g)
{
    play_law(g, TW_CONTACT_EXACT);
}

static void play_paper(golden *g)
{
    play_law(g, TW_CONTACT_PAPER);
}

static void play_conventional(golden *g)
{
    play_law(g, TW_CONTACT_CONVENTIONAL);
}

/* ---- Refinements off, one at a time and all together ---- */

static void play_refinements(golden *g)
{
    static const struct {
        const char *mark;
        int32_t kind;
        uint32_t off;
    } variants[] = {{"exact-fresh", TW_CONTACT_EXACT, TW_CONTACT_FRESH},
                    {"exact-instant", TW_CONTACT_EXACT, TW_CONTACT_INSTANT},
                    {"exact-turning", TW_CONTACT_EXACT, TW_CONTACT_TURNING},
                    {"exact-tilt", TW_CONTACT_EXACT, TW_CONTACT_TILT},
                    {"exact-twirl", TW_CONTACT_EXACT, TW_CONTACT_TWIRL},
                    {"exact-all", TW_CONTACT_EXACT, TW_CONTACT_ALL},
                    {"paper-fresh", TW_CONTACT_PAPER, TW_CONTACT_FRESH},
                    {"paper-turning", TW_CONTACT_PAPER, TW_CONTACT_TURNING},
                    {"paper-tilt-twirl", TW_CONTACT_PAPER, TW_CONTACT_TILT | TW_CONTACT_TWIRL},
                    {"conventional-tilt", TW_CONTACT_CONVENTIONAL, TW_CONTACT_TILT}};
    const golden_path path = golden_file(g, "start.h5");
    tw_sim *sim = scene_packing(g, 3, SCENE_BUMPY, 12);
    scene_save(sim, path.text);
    tw_sim_free(sim);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        sim = scene_load(g, path.text);
        tw_contact_law law = tw_sim_get_definition(sim).law;
        law.kind = variants[k].kind;
        law.refine = TW_CONTACT_ALL & ~variants[k].off;
        scene_set_law(sim, &law);
        tw_sim_set_velocity_gradient(sim, &shear);
        scene_run(sim, 300);
        golden_record(g, variants[k].mark, sim);
        tw_sim_free(sim);
    }
}

/* ---- The kernel alone ---- */

/* 1, 1/2, 1/4 ... */
static double random_scale(tw_random *random, uint64_t halvings)
{
    const uint64_t many = tw_random_next(random) % halvings;
    double scale = 1.0;
    for (uint64_t k = 0; k < many; k++)
        scale *= 0.5;
    return scale;
}

static tw_vec3 random_unit(tw_random *random)
{
    for (;;) {
        const tw_vec3 v = scene_vector(random, 1.0);
        const double square = tw_vec3_dot(v, v);
        if (square > 0.01 && square < 1.0) return tw_vec3_scale(1.0 / sqrt(square), v);
    }
}

/* The next motion of a contact: tilts by up to `tilt`, slides by `slide` times its overlap. */
static tw_contact_motion random_motion(tw_random *random, const tw_contact_memory *memory,
                                       double size)
{
    tw_contact_motion motion = {0};
    const double tilt = random_scale(random, 20), slide = 64.0 * random_scale(random, 24);
    const tw_vec3 aside = scene_vector(random, tilt);
    const tw_vec3 n = tw_vec3_add(memory->n, aside);
    motion.n = tw_vec3_scale(1.0 / sqrt(tw_vec3_dot(n, n) + 1e-300), n);
    const double close = scene_uniform(random, -0.3, 1.0);
    motion.zeta = size * close;
    motion.du = scene_vector(random, slide * size);
    const double turn = 3.0 * random_scale(random, 20);
    motion.turn_p = scene_vector(random, turn);
    motion.turn_q = scene_vector(random, turn);
    return motion;
}

static void record_contact(golden *g, const tw_contact_memory *memory, const tw_contact_load *load)
{
    golden_vector(g, "ft", memory->ft);
    golden_vector(g, "f", load->f);
    golden_number(g, "fn", load->fn);
    golden_number(g, "alpha_o", load->alpha_o);
    golden_number(g, "alpha_s", load->alpha_s);
    golden_number(g, "work_normal", load->work_normal);
    golden_number(g, "work_tangential", load->work_tangential);
    golden_number(g, "work_reversible", load->work_reversible);
    golden_number(g, "work_dissipated", load->work_dissipated);
    golden_number(g, "work_viscous", load->work_viscous);
    golden_count(g, "touching", (uint64_t)load->touching);
    golden_count(g, "sliding", (uint64_t)load->sliding);
}

enum { CONTACTS = 500 };

/* Many contacts over some steps, every eighth so small or so large that squares underflow or
 * overflow. */
static void play_contacts(golden *g, const tw_contact_law *law, const char *mark)
{
    static const double extreme[] = {1e-170, 1e-90, 1e110, 1e160};
    static tw_contact_motion motion[CONTACTS];
    static tw_contact_memory memory[CONTACTS];
    static tw_contact_load load[CONTACTS];
    double size[CONTACTS];
    tw_random random = tw_random_seed(13);
    for (int i = 0; i < CONTACTS; i++) {
        size[i] = 1e-5 * scene_uniform(&random, 0.1, 1.0);
        if (i % 8 == 7) size[i] *= extreme[i / 8 % 4];
        memory[i].n = random_unit(&random);
        memory[i].zeta = size[i] * scene_uniform(&random, -0.1, 1.0);
        memory[i].ft = tw_vec3_make(0.0, 0.0, 0.0);
    }
    golden_mark(g, mark);
    for (int step = 0; step < 12; step++) {
        for (int i = 0; i < CONTACTS; i++)
            motion[i] = random_motion(&random, &memory[i], size[i]);
        tw_contact_advance_batch(law, NULL, motion, 1e-6, memory, NULL, load, CONTACTS);
        for (int i = 0; i < CONTACTS; i++)
            record_contact(g, &memory[i], &load[i]);
    }
    golden_end_part(g);
}

static void play_kernel(golden *g)
{
    static const struct {
        const char *mark;
        int32_t kind;
        double kt, mu, nu;
    } laws[] = {{"exact", TW_CONTACT_EXACT, 0.8e5, 0.5, 0.0},
                {"exact-stiff", TW_CONTACT_EXACT, 5e6, 0.3, 0.1},
                {"exact-slippery", TW_CONTACT_EXACT, 1e5, 1e-3, 0.0},
                {"paper", TW_CONTACT_PAPER, 0.8e5, 0.5, 0.1},
                {"paper-stiff", TW_CONTACT_PAPER, 5e6, 0.3, 0.0},
                {"conventional", TW_CONTACT_CONVENTIONAL, 0.8e5, 0.5, 0.1}};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        tw_contact_law law = tw_contact_law_default();
        law.kn = 1e5;
        law.kt = laws[k].kt;
        law.mu = laws[k].mu;
        law.nu_n = law.nu_t = laws[k].nu;
        law.kind = laws[k].kind;
        play_contacts(g, &law, laws[k].mark);
    }
}

/* ---- Long slides in the engine ---- */

/* kt far above kn: in most steps contacts slide by many times the largest deflection of their
 * springs. */
static void play_slide(golden *g)
{
    const tw_mat3 press = {{-100.0, 0.0, 0.0, 0.0, -100.0, 0.0, 0.0, 0.0, -100.0}};
    const tw_mat3 fast = {{0.0, 400.0, 0.0, 0.0, 0.0, 0.0, 0.0, 200.0, 0.0}};
    tw_sim_def def = scene_def(g, 5 * 1.98 * SCENE_GRAIN);
    const scene_grains grains = {5, 0.93, 1.02, SCENE_SPHERE, 1, 2.0, 2000.0, 0, 14};
    def.law.kn = 1e4;
    def.law.kt = 5e6;
    def.law.mu = 0.2;
    def.dt = 2e-6;
    def.dt_forced = 1;
    def.damping_mass = 2000.0;
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    tw_sim_set_velocity_gradient(sim, &press);
    scene_run(sim, 300);
    golden_record(g, "pressed", sim);
    tw_sim_set_velocity_gradient(sim, &fast);
    scene_run(sim, 700);
    golden_record(g, "sheared", sim);
    tw_sim_free(sim);
}

/* ---- Finite rotations of contacts ---- */

/* Grains that spin by up to a tenth of a turn per step and roll on each other. */
static void play_spin(golden *g)
{
    static const char *const marks[] = {"exact", "paper", "conventional"};
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        tw_sim_def def = scene_def(g, 4 * 1.98 * SCENE_GRAIN);
        const scene_grains grains = {4, 0.98, 1.05, SCENE_SPHERE, 2, 1.0, 5e4, 0, 15};
        def.law.kind = kind;
        def.law.nu_n = def.law.nu_t = 0.02;
        def.damping_spin = 50.0;
        def.skin = 0.4 * SCENE_GRAIN; /* satellites move far in a step */
        tw_sim *sim = scene_create(&def);
        scene_fill(sim, &grains);
        scene_run(sim, 150);
        golden_record(g, marks[kind], sim);
        tw_sim_free(sim);
    }
}

const golden_scene golden_law_scenes[] = {
    {"exact", "bumpy grains, exact law", play_exact},
    {"paper", "bumpy grains, law of the paper", play_paper},
    {"conventional", "bumpy grains, conventional law", play_conventional},
    {"refinements", "each refinement off, from one state", play_refinements},
    {"kernel", "single contacts: finite rotations, long slides, extreme sizes", play_kernel},
    {"slide", "spheres with kt far above kn: long slides", play_slide},
    {"spin", "fast spins: finite rotations of contacts", play_spin},
    {0}};
