# SPDX-License-Identifier: BSD-3-Clause
# HOMEBREW_TWIRL_ARCHIVE=/path/to/the/archive brew install --formula packaging/homebrew/twirl.rb
class Twirl < Formula
  desc "Element tests on granular materials with exact frictional contacts"
  # The archive has no address yet, and so no checksum either.
  url "file://#{ENV.fetch("HOMEBREW_TWIRL_ARCHIVE")}"
  version "0.2.0"
  license "BSD-3-Clause"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "hdf5"
  depends_on "libmicrohttpd"
  depends_on "libyaml"
  depends_on :linux # the shared library is linked with a version script of GNU ld
  depends_on "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", "-DTWIRL_CUDA=OFF", "-DTWIRL_LAMMPS=OFF",
           "-DTWIRL_MUMPS=OFF", "-DTWIRL_PYTHON=OFF", "-DTWIRL_WEB=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/twirl --version")
    system bin/"twirl", "check", pkgshare/"scenarios/demo/demo.yaml"
  end
end
