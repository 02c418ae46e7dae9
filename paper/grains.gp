# SPDX-License-Identifier: BSD-3-Clause
# The figure of scripts/grains, from the tables in the current folder.
set datafile separator ','
set terminal svg size 760,420 font 'DejaVu Sans,12' background 'white'
set style line 1 lc rgb '#b8c8dc' lw 1
set style line 2 lc rgb '#d08a1d' lw 1.5
set style line 3 lc rgb '#1f5fa8' lw 2
set grid lc rgb '#dddddd' lt 1
there(name) = int(system(sprintf('test -e %s && echo 1 || echo 0', name)))
sizes = '10648 85184 1022208'
names = '10,648 85,184 1,022,208'

set output 'grains.svg'
set multiplot layout 1,2 title 'The same triaxial test with a hundred times as many grains'
set xlabel 'axial strain [%]'
set ylabel 'q/p'
set yrange [1.3:*]
set key bottom right
plot for [k=1:3] for [one=1:there('grains_' . word(sizes, k) . '.csv')] 'grains_' . word(sizes, k) . '.csv' \
    using (100*column('strain')):'stress_ratio' with lines ls k title word(names, k) . ' grains'
set autoscale y
set logscale xy
set xlabel 'grains'
set ylabel 'standard deviation of q/p about its running mean'
set format y '10^{%T}'
set format x '10^{%T}'
set xrange [5e3:2e6]
set key top right
stats 'grains_sizes.csv' using 'grains':'scatter' every ::0::0 name 'first' nooutput
plot 'grains.csv' using 'grains':'scatter' with points pt 6 ps 0.8 lc rgb '#1f5fa8' title 'specimens', \
     'grains_sizes.csv' using 'grains':'scatter' with points pt 7 ps 1.2 lc rgb '#c23b22' title 'mean', \
     first_max_y*(x/first_max_x)**(-0.5) with lines lc rgb '#555555' dt 2 title 'one over the root of the number'
unset multiplot
