# SPDX-License-Identifier: BSD-3-Clause
# Of a folder of sources, without an address: spack dev-build twirl@VERSION
from spack.package import *


class Twirl(CMakePackage):
    """Element tests on granular materials with the discrete element method and exact frictional contacts."""

    license("BSD-3-Clause")
    version("0.2.0")

    variant("python", default=False, description="Build the Python package")
    variant("mumps", default=False, description="Static solver by MUMPS, without MPI")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5~mpi")
    depends_on("libyaml")
    depends_on("cairo+pdf+svg")
    depends_on("zlib-api")
    depends_on("libmicrohttpd")
    depends_on("mumps~mpi+double+shared", when="+mumps")
    extends("python@3.9:", when="+python")
    depends_on("py-cffi", type=("build", "run"), when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")

    conflicts("platform=darwin", msg="the shared library is linked with a version script of GNU ld")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define("TWIRL_CUDA", False),
            self.define("TWIRL_LAMMPS", False),
            self.define("TWIRL_WEB", False),
            self.define_from_variant("TWIRL_MUMPS", "mumps"),
            self.define_from_variant("TWIRL_PYTHON", "python"),
        ]
        if "+python" in self.spec:
            args.append(self.define("TWIRL_PYTHON_EXECUTABLE", self.spec["python"].command.path))
            args.append(self.define("TWIRL_PYTHON_INSTALL_DIR", self.spec["python"].package.platlib))
        return args
