# SPDX-License-Identifier: BSD-3-Clause
"""The gallery, docs/guide/gallery.md: part of tools/renew_pages.

The figures of a scenario are drawn from the runs of its page. The page follows from the figures in its folder, the titles of the
scenarios, and the tables below. The repository has few of them, in docs/guide/gallery; `tools/renew_pages --gallery FOLDER` makes the
page with all. Some figures are copied to other pages.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/guide/gallery.md"
PICTURES = ROOT / "docs/guide/gallery"
TRIAXIAL = ROOT / "scenarios/triaxial_spheres/triaxial_spheres.yaml"

# Pictures in the repository. All of a gallery are twenty times as many.
KEPT = """
constant_p_spheres_stress_ratio.svg cyclic_simple_shear_loops.svg cyclic_undrained_stress_path.svg demo_shear_strain.png
limit_state_limit_rates_work.svg oedometer_compression_curve.svg overlay_stress_ratio.svg overlay_void_ratio.svg
plane_strain_friction_angle.svg simple_shear_shear_stress.svg state_demo_forces.svg state_mixture_grading.svg
true_triaxial_pi_plane.svg undrained_loose_stress_path.svg
""".split()

# What a figure shows, unless a scenario has its own sentence; figures come in this order, and last those that are not here.
WHAT = {
    "stress_ratio": "Stress ratio over the strain that is driven.",
    "deviator_stress": "Deviator stress, negative in extension.",
    "shear_stress": "Shear stress over shear strain.",
    "normal_stress": "Normal stress at constant volume.",
    "stress_volume": "Stress, and at the right volumetric strain.",
    "stress_pressure": "Stress, and at the right pore-pressure ratio.",
    "volumetric_strain": "Volumetric strain, positive in compression.",
    "void_ratio": "Void ratio.",
    "friction_angle": "Mobilised friction angle.",
    "pore_pressure": "Pore-pressure ratio.",
    "fluid_pressure": "Pressure of the pore fluid.",
    "total_stress_path": "Total stress path.",
    "strains": "Strains over time, at constant stress.",
    "stresses": "Stresses over time, at constant strain.",
    "unbalanced": "Unbalanced force over contact force.",
    "stress_path": "Stress path.",
    "loops": "Loops of stress and strain.",
    "strain_cycles": "Strain over the number of cycles.",
    "stress_cycles": "Stress over the number of cycles.",
    "compression_curve": "Void ratio over the logarithm of stress.",
    "k0": "Lateral over axial stress.",
    "pi_plane": "Stress paths in the deviatoric plane.",
    "intermediate_stress": "Intermediate stress ratio, which the path keeps constant.",
    "turn_error": "Stress that did not rotate with the specimen.",
    "coordination": "Coordination number.",
    "sliding": "Fraction of contacts that slide.",
    "fabric": "Deviator of the fabric tensor.",
    "redundancy": "Relative motions that contacts prevent over motions of the grains.",
    "mobilised_friction": "Mean tangential force over friction limit.",
    "anisotropy": "Anisotropies of contacts, branches and forces; their sum beside the stress ratio.",
    "strong_contacts": "Contacts above the mean force: their share, and that of p and q which they carry.",
    "energies": "Energies since the stage began.",
    "probe_circles": "Irreversible strain of probes over the stress increment, with fitted circles.",
    "probe_splits": "The same by both ways of splitting the strain.",
    "probe_envelope": "Response envelope, and its sections by the coordinate planes.",
}

# Of each stage.
OF_STAGES = ("energies", "anisotropy", "strong_contacts")

# Scenarios come in this order, then the others. Runs of their pages if these have other names, options of `twirl plot`, sentences.
SCENARIOS = {
    "triaxial_spheres": ("", "", {
        "stress_ratio": "Peak and softening of a dense packing, at two rates.",
        "void_ratio": "It dilates towards the critical state."}),
    "triaxial_bumpies": ("", "", {"stress_ratio": "Interlocking grains are stronger than spheres."}),
    "triaxial_hertz": ("dense loose", "", {"void_ratio": "Dense and loose end near one void ratio."}),
    "triaxial_rolling": ("", "", {}),
    "constant_p_spheres": ("", "", {
        "stress_ratio": "Compression to the right, extension to the left with a negative q.",
        "volumetric_strain": "Both dilate."}),
    "constant_p_bumpies": ("", "", {}),
    "demo": ("", "--percent", {"stress_ratio": "With `--percent`, strains are in per cent."}),
    "plane_strain": ("", "", {"friction_angle": "The mobilised angle is larger in plane strain than in triaxial compression."}),
    "true_triaxial": ("", "", {
        "stress_ratio": "Five Lode angles, from compression (0) to extension (60 degrees).",
        "pi_plane": "Peaks of five paths, and the strength of Lade and Duncan through their mean."}),
    "true_triaxial_s3": ("", "", {"pi_plane": "The strength is that of tests at constant mean stress."}),
    "creep": ("", "", {"strains": "Creep: the specimen settles, then it is at rest.",
                       "stresses": "Relaxation: the stresses fall, then they are constant."}),
    "undrained_fluid": ("", "", {
        "fluid_pressure": "Pore pressure with water, with air bubbles in it, and with an incompressible fluid.",
        "total_stress_path": "At constant cell pressure the slope is 3."}),
    "undrained_dense": ("", "", {"pore_pressure": "Dilation is prevented: the pore pressure falls.",
                                 "stress_path": "The path climbs along the failure line."}),
    "undrained_loose": ("", "", {"deviator_stress": "Static liquefaction: a small peak, then nothing.",
                                 "pore_pressure": "The pore pressure rises to the confining stress.",
                                 "stress_path": "From the right to the origin."}),
    "simple_shear": ("", "", {
        "shear_stress": "At constant normal stress and, much stronger, at constant volume.",
        "stress_ratio": "The mobilised ratio of shear to normal stress is nearly the same."}),
    "cyclic_simple_shear": ("", "", {
        "loops": "Ten cycles of given strain; they become stiffer.",
        "volumetric_strain": "Densification that slows down from cycle to cycle.",
        "stress_cycles": "The shear stress of each cycle."}),
    "cyclic_undrained": ("", "", {
        "loops": "Cycles of given stress, and failure.",
        "pore_pressure": "The pore pressure grows from cycle to cycle, then suddenly.",
        "stress_path": "The path walks to the left, then collapses.",
        "strain_cycles": "Hardly any strain before failure."}),
    "oedometer": ("", "", {
        "compression_curve": "Loading, unloading and reloading are one curve.",
        "k0": "K0 falls in loading and rises above 1 in unloading.",
        "energies": "Nearly all work is stored, and comes back in unloading."}),
    "isotropic_compression": ("", "", {"compression_curve": "Four stages of loading and one of unloading."}),
    "fcc_strength": ("", "", {"stress_ratio": "A lattice fails at a known ratio, then softens."}),
    "limit_state": ("", "", {
        "stable_rates_envelope": "Below failure every change of stress has one response; slip makes it larger.",
        "stable_rates_work": "Below failure second-order work is positive in all directions.",
        "limit_rates_envelope": "Past the peak half of the changes of stress have no response.",
        "limit_rates_work": "They lie in a half plane: those that lead beyond the stress ratio of failure.",
        "softening_rates_envelope": "Under strain control every direction has a response.",
        "softening_rates_work": "Second-order work is negative where the lattice softens."}),
    "mixture": ("", "", {}),
    "stiff_soft_mixture": ("stiff soft", "", {}),
    "small_strain_hertz": ("dense fewer", "", {}),
    "rigid_rotation": ("", "", {
        "turn_error": "The exact law rotates the stress within rounding; simpler ones do not."}),
    "probes": ("", "", {}),
}

# Three commands of the guide, and other looks.
OVERLAY = [
    ("stress_ratio", "Dense and loose in one figure, for a column of 8.5 cm."),
    ("volumetric_strain", "The dense packing dilates, the loose one contracts."),
    ("void_ratio", "Both approach one void ratio."),
]

# Run, state, name of the picture, options, sentence.
RENDERS = [
    ("demo", "shear", "grains", "--color coordination", "Grains by their number of contacts."),
    ("demo", "shear", "chains", "--chains --above 1", "Force chains: contacts above the mean force."),
    ("demo", "shear", "mobilisation", "--chains --color mobilisation --slice b:0.35:0.65 --view y",
     "Contacts of a slice by tangential force over friction limit."),
    ("mixture", "1_isotropic", "sizes", "--color size", "Three shapes of grains, by size."),
    ("triaxial_spheres", "shear", "pressure", "--color pressure --slice b:0:0.5 --view y",
     "Pressure in the grains of one half."),
    ("triaxial_spheres", "shear", "rattlers", "--color rattlers", "Grains without load."),
    ("demo", "shear", "porosity", "--field porosity", "Local porosity, on a section."),
    ("demo", "shear", "shear_strain", "--field shear_strain --since demo/states/specimen.h5", "Local shear strain since the start."),
]

# Figures of `twirl info`: run, state, figure, sentence.
STATES = [
    ("demo", "shear", "forces", "Probability density of normal forces, of all contacts and of those that slide."),
    ("mixture", "1_isotropic", "grading", "Grading curve of the grains, with D10 to D60."),
]

# Films, for other pages: run, options, file.
FILMS = [
    ("demo", "--chains --above 1 --size 560x280 --font ,7 --fps 8", "docs/guide/demo_movie.gif"),
]

# Figures that other pages show.
ELSEWHERE = [
    ("demo", "stress_ratio.svg", "docs/guide/demo_stress_ratio.svg"),
    ("demo", "chains.png", "docs/guide/demo_chains.png"),
    ("probes", "probe_circles.svg", "docs/guide/circles.svg"),
    ("triaxial_spheres", "stress_ratio.svg", "scenarios/triaxial_spheres/stress_ratio.svg"),
]

SPHERE = """title: Stress probes of spheres in all principal directions at q/p = 0.6

specimen:
  count: 500
  sizes: {distribution: uniform, d_min: 0.8 mm, d_max: 1.2 mm}
  preparation: {pressure: 100 kPa, friction: 0.05}
material: {stiffness_level: 1000, friction: 0.5}
stages:
  - {name: settle, path: isotropic, pressure: 100 kPa}
  - {name: shear, path: constant_p, end: {stress_ratio: 0.6, strain: 5 %}, save: sheared}
  - name: probe
    path: probes
    from: sheared
    probes:
      space: sphere
      count: 150
      stress: 4 kPa
      steps: 300
      laws: [exact]
      settle: 1e-5
      rest: 1e-5
"""

HEAD = """# Gallery

What `twirl plot` draws of {what}, and some pictures of `twirl info` and `twirl render`.
[pictures.md](pictures.md) has the options, and what each figure needs.{more}

Figures are 12 cm wide and drawn smaller here; each is also a PNG, and a PDF on request.{left}
"""


def call(*words, folder=None):
    return subprocess.run([os.environ["TWIRL"], *map(str, words)], cwd=folder, check=True, capture_output=True, text=True).stdout


def kind_of(figure):
    """The entry of WHAT that a name begins with: energies_drained, stress_path_cyclic."""
    return max((kind for kind in WHAT if figure.startswith(kind)), key=len, default=figure)


def place(figure):
    """Where a figure stands in its section."""
    return (list(WHAT).index(kind_of(figure)) if kind_of(figure) in WHAT else len(WHAT)), figure


def sentence(figure):
    kind = kind_of(figure)
    return WHAT.get(kind, kind.replace("_", " ").capitalize() + ".")


def plot(name, runs, options, work, out):
    """Draws the runs of a scenario and keeps the figures; of those that each stage has, the ones of one stage."""
    plots = work / "gallery"
    shutil.rmtree(plots, ignore_errors=True)
    said = call("plot", *runs.split(), "--out", plots, *options.split(), folder=work)
    figures = said.rsplit(": ", 1)[1].split("; each as ")[0].split(", ")
    further = [figure for kind in OF_STAGES for figure in [one for one in figures if kind_of(one) == kind][1:]]
    for figure in figures:
        if figure not in further:
            keep(plots / f"{figure}.svg", f"{name}_{figure}.svg", out)


def keep(picture, name, out):
    """Puts a picture into the folder of the gallery, or into the repository if it belongs there."""
    if out or name in KEPT:
        shutil.copy(picture, (out or PICTURES) / name)


def draw(name, work, out=None):
    """The figures of a scenario, from the runs of its page."""
    runs, options, _ = SCENARIOS.get(name, ("", "", {}))
    plot(name, runs or name, options, work, out)
    for run, state, picture, look, _ in RENDERS:
        if run == name:
            call("render", f"{name}/stages/{state}.h5", *look.split(), "--dpi", "100", "--out", work / f"gallery/{picture}.png", folder=work)
            keep(work / f"gallery/{picture}.png", f"{name}_{picture}.png", out)
    for run, state, figure, _ in STATES:
        if run == name:
            call("info", f"{name}/stages/{state}.h5", f"--{figure}", work / "gallery", folder=work)
            keep(work / f"gallery/{figure}.svg", f"state_{name}_{figure}.svg", out)
    if out:
        return
    for run, look, target in FILMS:
        if run == name:
            call("movie", name, *look.split(), "--quiet", "--out", ROOT / target, folder=work)
    for run, figure, target in ELSEWHERE:
        if run == name:
            shutil.copy(work / "gallery" / figure, ROOT / target)


def inputs():
    """What the runs of the page itself depend on."""
    return [SPHERE, TRIAXIAL.read_text(encoding="utf-8")]


def extras(work, out=None):
    """The runs that belong to no other page, and their figures. Returns the page of the repository."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "sphere.yaml").write_text(SPHERE, encoding="utf-8")
    call("run", "sphere.yaml", "--out", "sphere", "--resume", "--quiet", folder=work)
    call("plot", "sphere", "--out", "figures", folder=work)
    keep(work / "figures/probe_envelope.svg", "sphere_probe_envelope.svg", out)
    for name, friction in (("dense", "0.02"), ("loose", "0.5")):
        call("run", TRIAXIAL, "--out", name, "--resume", "--quiet",
             "--set", "specimen.count=500", "--set", "stages[3]=", "--set", f"specimen.preparation.friction={friction}", folder=work)
    for suffix, options in (("", []), ("_grey", ["--grey"])):
        call("plot", "dense", "loose", "--percent", "--width", "8.5cm", "--out", "both" + suffix, *options, folder=work)
        for figure, _ in OVERLAY:
            keep(work / f"both{suffix}/{figure}.svg", f"overlay{suffix}_{figure}.svg", out)
    return text()


def scenarios():
    """Names of all scenarios, in the order of the page."""
    present = sorted(path.name for path in (ROOT / "scenarios").iterdir() if (path / f"{path.name}.yaml").exists())
    return sorted(present, key=lambda name: list(SCENARIOS).index(name) if name in SCENARIOS else len(SCENARIOS))


def section_of(picture):
    """The scenario of a picture: the longest name that it begins with."""
    return max((name for name in scenarios() if picture.name.startswith(name + "_")), key=len, default=None)


def table(title, pictures, folder):
    """Those of the pictures that the folder has, three in a row; nothing if it has none."""
    there = [p for p in pictures if (folder / p[0]).exists()]
    lines = [title, "", "| | | |", "|---|---|---|"]
    for start in range(0, len(there), 3):
        row = there[start:start + 3] + [None] * (3 - len(there[start:start + 3]))
        lines.append("| " + " | ".join(
            f'<img src="gallery/{p[0]}" width="290" alt="{p[1]}"><br>`{p[2]}`: {p[1]}' if p else ""
            for p in row) + " |")
    return ["\n".join(lines) + "\n"] if there else []


def title_of(scenario):
    return re.search("^title: (.*)$", scenario.read_text(encoding="utf-8"), re.MULTILINE)[1]


def section(name, folder):
    """The part of the page of a scenario."""
    runs, options, sentences = SCENARIOS.get(name, ("", "", {}))
    figures = sorted((picture.stem[len(name) + 1:] for picture in folder.glob(f"{name}_*.svg") if section_of(picture) == name),
                     key=place)
    command = " ".join(filter(None, ["twirl plot", runs or name, options]))
    return table(f"## {title_of(ROOT / f'scenarios/{name}/{name}.yaml')}\n\n[{name}](../../scenarios/{name}): `{command}`",
                 [(f"{name}_{figure}.svg", sentences.get(figure, sentence(figure)), figure) for figure in figures], folder)


def text(folder=PICTURES):
    """The page, with the pictures of a folder."""
    few = folder == PICTURES
    parts = [HEAD.format(what="some of the [ready scenarios](../../scenarios)" if few else "every [ready scenario](../../scenarios)",
                         more=" `scripts/docs --gallery`\nruns all scenarios and builds the site with all their figures." if few else "",
                         left="" if few else " Left out are energies, anisotropies and strong\ncontacts of further stages.")]
    for name in scenarios():
        parts += section(name, folder)
    parts += table(f"## Stress probes in all principal directions\n\nThis scenario, then `twirl plot sphere`:\n\n```yaml\n{SPHERE}```",
                   [("sphere_probe_envelope.svg", WHAT["probe_envelope"], "probe_envelope")], folder)
    parts += table("## Dense and loose in one figure\n\nThe runs of [pictures.md](pictures.md#dense-and-loose-in-one-figure): "
                   "`twirl plot dense loose --percent --width 8.5cm`" + ("." if few else ", and with `--grey`."),
                   [(f"overlay{suffix}_{figure}.svg", sentence, figure) for suffix in ("", "_grey") for figure, sentence in OVERLAY], folder)
    parts += table("## Forces and sizes of a state",
                   [(f"state_{name}_{figure}.svg", sentence, f"twirl info {name}/stages/{state}.h5 --{figure} figures")
                    for name, state, figure, sentence in STATES], folder)
    parts += table("## Grains, force chains and local fields",
                   [(f"{name}_{picture}.png", sentence, f"twirl render {name}/stages/{state}.h5 {options}")
                    for name, state, picture, options, sentence in RENDERS], folder)
    return "\n".join(parts)


def write():
    PAGE.write_text(text(), encoding="utf-8")


def faults():
    """What the page lacks, and pictures that are none of its own."""
    present = {picture.name for picture in PICTURES.iterdir()}
    for name in sorted(present ^ set(KEPT)):
        yield f"docs/guide/gallery/{name}: it is {'not in KEPT' if name in present else 'missing, but in KEPT'} of tools/gallery.py"
    if text() != PAGE.read_text(encoding="utf-8"):
        yield "docs/guide/gallery.md: it is not what tools/gallery.py makes of its figures; tools/renew_pages"
