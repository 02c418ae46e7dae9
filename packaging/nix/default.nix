# SPDX-License-Identifier: BSD-3-Clause
# nix-build packaging/nix, in the unpacked archive.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "twirl";
  version = "0.2.0";
  src = ../..;

  nativeBuildInputs = with pkgs; [ cmake pkg-config ];
  buildInputs = with pkgs; [ cairo hdf5 libmicrohttpd libyaml zlib ];
  cmakeFlags = [
    "-DBUILD_TESTING=OFF"
    "-DTWIRL_CUDA=OFF"
    "-DTWIRL_LAMMPS=OFF"
    "-DTWIRL_MUMPS=OFF"
    "-DTWIRL_PYTHON=OFF"
    "-DTWIRL_WEB=OFF"
  ];

  meta = {
    description = "Element tests on granular materials with exact frictional contacts";
    license = pkgs.lib.licenses.bsd3;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "twirl";
  };
}
