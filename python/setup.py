# SPDX-License-Identifier: BSD-3-Clause
"""Builds twirl._core, with the engine library beside it in the package.

The library is built by CMake from the repository that this folder is in, into build/pip. TWIRL_CUDA=ON builds it for
NVIDIA GPUs too, which takes minutes and is therefore not the default; CMAKE_ARGS may have more options. If
TWIRL_LIBRARY_DIR names a folder with libtwirl.so, that one is taken, and TWIRL_INCLUDE_DIR has its headers.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import build_core  # noqa: E402

SOURCE = HERE.parent
INCLUDE = Path(os.environ.get("TWIRL_INCLUDE_DIR", SOURCE / "include"))


def library_folder():
    """The folder of libtwirl.so; builds it if none is given."""
    given = os.environ.get("TWIRL_LIBRARY_DIR")
    if given:
        return Path(given)
    if not (SOURCE / "CMakeLists.txt").exists():
        sys.exit("twirl: the source of the engine is not beside this folder: set TWIRL_LIBRARY_DIR and TWIRL_INCLUDE_DIR")
    build = SOURCE / "build" / "pip"
    subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
                    "-DTWIRL_LAMMPS=OFF", "-DTWIRL_PYTHON=OFF", "-DTWIRL_WEB=OFF", "-DTWIRL_CUDA=" + os.environ.get("TWIRL_CUDA", "OFF"),
                    "-DCMAKE_INSTALL_LIBDIR=lib",
                    # As installed: the path for a build has an empty entry at its end, which means the current folder.
                    "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON",
                    *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "twirl_engine_shared",
                    "-j", str(len(os.sched_getaffinity(0)))], check=True)
    return build


class BuildCore(build_ext):
    """Puts the library into the package, where the module looks for it, and that with MUMPS, where the library does."""

    def run(self):
        folder = library_folder()
        for extension in self.extensions:
            extension.library_dirs.append(str(folder))
        super().run()
        soname = next(path for path in sorted(folder.glob("libtwirl.so.*")) if path.name.count(".") == 3)
        package = Path(self.get_ext_fullpath("twirl._core")).parent
        shutil.copy(soname, package / soname.name)
        statics = Path("lib/twirl") / f"twirl_statics_mumps-{version().rpartition('.')[0]}.so"
        if (folder / statics).exists():
            (package / statics).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / statics, package / statics)


class Wheel(bdist_wheel):
    """One wheel for all versions of Python from 3.9 on."""

    def finalize_options(self):
        self.py_limited_api = "cp39"
        super().finalize_options()

    def egg2dist(self, egginfo_path, distinfo_path):
        """The licence is that of the repository, outside this folder, where setuptools does not look for it."""
        super().egg2dist(egginfo_path, distinfo_path)
        shutil.copy(SOURCE / "LICENSE", distinfo_path)


def version():
    """As the headers say."""
    text = (INCLUDE / "twirl" / "version.h").read_text()
    return ".".join(re.search(rf"#define TW_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


ffi = build_core.builder(INCLUDE)
core = ffi.distutils_extension(str(HERE / "build" / "generated"), verbose=False)
core.py_limited_api = True
core.libraries = ["twirl"]
core.extra_link_args = ["-Wl,-rpath,$ORIGIN"]

setup(version=version(), ext_modules=[core], cmdclass={"build_ext": BuildCore, "bdist_wheel": Wheel})
