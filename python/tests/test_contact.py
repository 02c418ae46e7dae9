# SPDX-License-Identifier: BSD-3-Clause
"""The contact law over arrays."""

import csv
import io
import subprocess

import numpy as np
import pytest

import twirl
from conftest import program
from twirl import contact
from twirl._core import ffi, lib

LAW = contact.Law(kn=1e6, kt=1e6, mu=0.5)


def random_contacts(count, seed=1):
    rng = np.random.default_rng(seed)
    n = rng.normal(size=(count, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    n1 = n + 0.01 * rng.normal(size=(count, 3))
    n1 /= np.linalg.norm(n1, axis=1)[:, None]
    ft = np.cross(n, rng.normal(size=(count, 3))) * 100
    memory = contact.memories(n=n, zeta=rng.uniform(-1e-4, 1e-3, count), ft=ft)
    motion = contact.motions(n=n1, zeta=rng.uniform(-1e-4, 1e-3, count), du=1e-3 * rng.normal(size=(count, 3)),
                             turn_p=0.01 * rng.normal(size=(count, 3)), turn_q=0.01 * rng.normal(size=(count, 3)),
                             radius=rng.uniform(1e-3, 2e-3, count), mass=rng.uniform(1e-6, 1e-5, count))
    return motion, memory


def test_a_slide_along_a_line_in_closed_form():
    # The spring takes mu kn zeta = 500 N after 0.5 mm of 2 mm; the rest, 1.5 mm, is slid against 500 N.
    memory = contact.memories(n=[0, 0, 1], zeta=1e-3)
    motion = contact.motions(n=[0, 0, 1], zeta=1e-3, du=[2e-3, 0, 0])
    load = contact.advance(LAW, motion, memory)
    assert memory["ft"][0] == pytest.approx([500, 0, 0], rel=1e-14)
    assert load["f"][0] == pytest.approx([500, 0, -1000], rel=1e-14)
    assert load["work_dissipated"][0] == pytest.approx(500 * 1.5e-3, rel=1e-13)
    assert load["alpha_s"][0] == pytest.approx(0.25, rel=1e-13)
    assert load["sliding"][0] == 1


@pytest.mark.parametrize("law", [
    LAW, contact.Law(kn=1e6, kt=5e5, mu=0.3, kind="conventional"), contact.Law(kn=1e6, kt=1e6, mu=0.5, without="turning"),
    contact.Law(kn=1e9, kt=1e9, mu=0.4, normal="hertz"),
    contact.Law(kn=1e6, kt=1e6, mu=0.5, nu_n=5.0, nu_t=3.0, k_r=1e5, mu_r=0.1, k_w=1e5, mu_w=0.05)])
def test_the_bits_are_those_of_single_contacts(law):
    count, dt = 301, 1e-5
    motion, memory = random_contacts(count)
    extra = contact.extras(count)
    alone, own = memory.copy(), extra.copy()
    one = np.zeros(count, dtype=contact.LOAD)
    for k in range(count):
        lib.tw_contact_advance(law._struct, ffi.cast("tw_contact_motion *", motion[k:].ctypes.data), dt,
                               ffi.cast("tw_contact_memory *", alone[k:].ctypes.data),
                               contact._extra_of(own, k),
                               ffi.cast("tw_contact_load *", one[k:].ctypes.data))
    load = contact.advance(law, motion, memory, dt=dt, extra=extra)
    assert memory.tobytes() == alone.tobytes()
    assert all(load[name].tobytes() == one[name].tobytes() for name in load.dtype.names)
    assert 20 < load["sliding"].sum() < count - 20  # both kinds occurred
    assert law.extras == (law.nu_n > 0)
    assert not law.extras or np.abs(extra["fr"]).max() > 0


def test_extras_have_all_parts_of_the_library():
    parts = [lib.tw_contact_part_at(k) for k in range(lib.tw_contact_part_count())]
    assert [ffi.string(part.name).decode() for part in parts] == list(contact.EXTRA.names)
    assert [int(np.prod(contact.EXTRA[name].shape)) for name in contact.EXTRA.names] == [part.numbers for part in parts]
    assert contact.EXTRA.itemsize == 8 * sum(part.numbers for part in parts)
    assert contact.EXTRA["fr"].shape == (3,) and contact.EXTRA["fw"].shape == ()


def test_extras_go_to_the_law_that_needs_them():
    count, dt, rng = 100, 1e-5, np.random.default_rng(2)
    motion, memory = random_contacts(count)
    motion["zeta"] = memory["zeta"] = 1e-3
    extra = contact.extras(count)
    for name in extra.dtype.names:
        extra[name] = rng.uniform(-1, 1, extra[name].shape)
    before = extra.copy()
    contact.advance(LAW, motion, memory.copy(), dt=dt, extra=extra)
    assert extra.tobytes() == before.tobytes()
    law = LAW.replace(nu_n=5.0, nu_t=3.0, nu_r=1.0, nu_w=1.0, k_r=1e5, mu_r=0.1, k_w=1e5, mu_w=0.05)
    needs = lib.tw_contact_law_extras(law._struct)
    needed = {name for k, name in enumerate(extra.dtype.names) if needs & lib.tw_contact_part_at(k).need}
    # no law needs `alive`, whose contacts would end elsewhere than they begin; the others are of walls
    assert needed == set(extra.dtype.names) - {"alive", "ceded", "pass", "pass_energy"}
    own = {name: np.ascontiguousarray(extra[name]) for name in extra.dtype.names}  # each part is an array of its own
    struct, alone, load = ffi.new("tw_contact_extra *"), memory.copy(), np.zeros(count, dtype=contact.LOAD)
    for k, array in enumerate(own.values()):
        struct.part[k] = ffi.cast("double *", array.ctypes.data)
    lib.tw_contact_advance_batch(law._struct, ffi.NULL, ffi.cast("tw_contact_motion *", motion.ctypes.data), dt,
                                 ffi.cast("tw_contact_memory *", alone.ctypes.data), struct,
                                 ffi.cast("tw_contact_load *", load.ctypes.data), count)
    found = contact.advance(law, motion, memory, dt=dt, extra=extra)
    assert found["f"].tobytes() == load["f"].tobytes() and found["couple"].tobytes() == load["couple"].tobytes()
    for name, array in own.items():
        assert extra[name].tobytes() == array.tobytes()
        assert (extra[name] != before[name]).all() == (name in needed)


@pytest.mark.parametrize("law", [LAW, contact.Law(kn=1e9, kt=1e9, mu=0.4, normal="hertz"),
                                 contact.Law(kn=1e6, kt=1e6, mu=0.5, k_r=1e6, mu_r=0.1, k_w=1e6, mu_w=0.05)])
def test_the_derivative_is_that_of_the_step(law):
    motion, memory = random_contacts(60)
    tangent = contact.derivative(law, motion, memory, extra=contact.extras(60))
    before = memory.tobytes()
    ends = {}
    h = 1e-9  # against overlaps of 1e-3: the error of central differences is 1e-6 of the stiffness
    for block, axis in [("du", 0), ("du", 1), ("du", 2), ("turn_p", 1), ("turn_q", 2)]:
        for side in (-1, 1):
            moved = motion.copy()
            moved[block][:, axis] += side * h
            if block == "du":
                moved["zeta"] -= side * h * moved["n"][:, axis]
            ends[side] = contact.advance(law, moved, memory.copy(), extra=contact.extras(60))
        for row, name, lever in (("f", "f", 1.0), ("couple", "couple", 1e-3)):
            change = (ends[1][row] - ends[-1][row]) / (2 * h)
            unit = 1e6 * lever * (1.0 if block == "du" else 1e-3)
            assert np.abs(tangent[f"{name}_{block}"][:, :, axis] - change).max() < 1e-4 * unit
    assert memory.tobytes() == before
    slides = (tangent["branch"] & lib.TW_CONTACT_SLIDES) != 0
    assert 5 < slides.sum() < 55


def test_the_tangent_of_a_state():
    memory = contact.memories(n=[0, 0, 1], zeta=1e-3, ft=[500, 0, 0], count=2)
    tangent = contact.derivative_rate(LAW, memory, branch=[0, lib.TW_CONTACT_SLIDES])
    assert tangent["f_du"][0] == pytest.approx(1e6 * np.eye(3))
    assert tangent["f_du"][1] == pytest.approx(1e6 * np.array([[0, 0, -0.5], [0, 1, 0], [0, 0, 1]]))
    assert tangent["branch"].tolist() == [lib.TW_CONTACT_TOUCHES, lib.TW_CONTACT_TOUCHES | lib.TW_CONTACT_SLIDES]
    with pytest.raises(twirl.Error, match="only the law 'exact' has a derivative"):
        contact.derivative_rate(contact.Law(kn=1e6, kt=1e6, mu=0.5, kind="paper"), memory)


def test_several_laws():
    motion, memory = random_contacts(100)
    laws = [LAW, contact.Law(kn=2e6, kt=1e6, mu=0.1)]
    law_of = np.arange(100) % 2
    expected = memory.copy()
    for k in (0, 1):
        part = expected[k::2].copy()
        contact.advance(laws[k], motion[k::2].copy(), part)
        expected[k::2] = part
    contact.advance(laws, motion, memory, law_of=law_of)
    assert memory.tobytes() == expected.tobytes()


def test_the_numbers_of_the_command():
    path = [(1e-3, 0, 0, 1, 0, 0, 0), (1.1e-3, 0, 0, 1, 5e-4, 1e-4, 0), (1.05e-3, 0, 0, 1, 3e-4, -6e-4, 0)]
    rows = "zeta,nx,ny,nz,dux,duy,duz\n" + "".join(",".join(map(repr, row)) + "\n" for row in path)
    done = subprocess.run([program(), "contact", "--kn", "1e6", "--kt", "1e6", "--mu", "0.5"], input=rows, text=True,
                          check=True, stdout=subprocess.PIPE)
    printed = list(csv.DictReader(io.StringIO(done.stdout)))
    memory = contact.memories(n=[0, 0, 1], zeta=1e-3)
    for row, wanted in list(zip(path, printed))[1:]:
        load = contact.advance(LAW, contact.motions(n=row[1:4], zeta=row[0], du=row[4:]), memory)
        assert memory["ft"][0].tolist() == [float(wanted[f"ft{axis}"]) for axis in "xyz"]
        assert load["work_dissipated"][0] == float(wanted["work_dissipated"])
        assert load["sliding"][0] == int(wanted["sliding"])


def test_what_is_wrong_is_refused():
    motion, memory = random_contacts(3)
    with pytest.raises(twirl.Error, match="kn must be a finite number above 0") as caught:
        contact.Law(kn=-1)
    assert caught.value.status == twirl.Status.INPUT
    with pytest.raises(twirl.Error, match="'sticky' is unknown; choices: exact, paper"):
        contact.Law(kn=1, kind="sticky")
    with pytest.raises(twirl.Error, match="not a refinement"):
        contact.Law(kn=1, without="all")
    with pytest.raises(TypeError, match="no 'friction'"):
        contact.Law(kn=1, friction=0.3)
    with pytest.raises(AttributeError, match="replace"):
        LAW.mu = 0.3
    with pytest.raises(ValueError, match="memory: 2 contacts, but motion has 3"):
        contact.advance(LAW, motion, memory[:2])
    with pytest.raises(TypeError, match="contact.MEMORY"):
        contact.advance(LAW, motion, np.zeros(3))
    with pytest.raises(ValueError, match="contiguous"):
        contact.advance(LAW, motion[::2], memory[::2])
    with pytest.raises(IndexError, match="no law 2"):
        contact.advance([LAW, LAW], motion, memory, law_of=[0, 1, 2])
    with pytest.raises(twirl.Error, match="needs extra"):
        contact.advance(LAW.replace(nu_n=1.0), motion, memory)
    memory.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        contact.advance(LAW, motion, memory)


def test_a_material_is_in_the_words_of_scenarios():
    with pytest.raises(TypeError, match=r"a material has no 'mu'; it has .*\bfriction\b"):
        twirl.Material(kn=1e5, kt=1e5, mu=0.5)


def test_laws_of_materials():
    glass = twirl.Material(normal="hertz", young=70e9, poisson=0.22, friction=0.3)
    steel = twirl.Material(normal="hertz", young=210e9, poisson=0.3, friction=0.2)
    law = glass.law(steel)
    assert law.normal == "hertz" and law.mu == 0.2
    contrast = 1 / ((1 - 0.22**2) / 70e9 + (1 - 0.3**2) / 210e9)
    assert law.kn == pytest.approx(4 / 3 * contrast, rel=1e-14)  # times the root of the reduced radius
    assert glass.law() == glass.law(glass) and glass.law() != law
    with pytest.raises(twirl.Error, match="young"):
        twirl.Material(normal="hertz", young=-1)
