# SPDX-License-Identifier: BSD-3-Clause
# Figures of docs/theory, from turning.csv and hertz.csv of paper_contact in the current folder.
set encoding utf8
set datafile separator comma
set datafile columnheaders
set minussign
set terminal svg size 600,432 font 'Helvetica,Arial,sans-serif,15.88' linewidth 0.8819 background rgb 'white' enhanced
set border 15 linewidth 1
set tics in scale 0.8,0.4
set key vertical Left reverse samplen 2 height 0.4 spacing 0.8
set pointsize 0.4
set linetype 1 linewidth 1.8 linecolor rgb '#0072b2'
set linetype 2 linewidth 1.8 linecolor rgb '#d55e00'
set linetype 3 linewidth 1.8 linecolor rgb '#000000'

set output 'turning.svg'
set key bottom right
set xrange [0:5]
set yrange [-92:2]
set ytics 15
set xlabel 'Movement in the step {/:Italic k}_t |Δ{/:Italic ξ}| / ({/:Italic μ} {/:Italic f}_n)'
set ylabel 'Direction of the force after the step [°]'
# The laws exact and paper coincide: marks on the line.
plot 'turning.csv' using 1:2 with lines linetype 1 title 'exact', \
     'turning.csv' every 5 using 1:3 with points linetype 2 pointtype 7 title 'paper', \
     'turning.csv' using 1:4 with lines linetype 3 dashtype 2 title 'conventional'

set output 'hertz.svg'
set key bottom left
set logscale xy
set format y '10^{%T}'
set xrange [24:11000]
set yrange [1e-8:1]
set ytics 100
set xlabel 'Steps'
set ylabel 'Error of the tangential force / ({/:Italic μ} {/:Italic f}_n)'
plot 'hertz.csv' using 1:2 with linespoints linetype 1 pointtype 7 title 'exact', \
     'hertz.csv' using 1:3 with linespoints linetype 2 pointtype 4 title 'conventional, rescaled', \
     'hertz.csv' using 1:4 with linespoints linetype 3 dashtype 2 pointtype 8 title 'conventional, without rescaling'
