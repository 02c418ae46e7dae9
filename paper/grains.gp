# SPDX-License-Identifier: BSD-3-Clause
# The figure of scripts/grains, from the tables in the current folder.
set datafile separator ','
set terminal svg size 900,460 font 'DejaVu Sans,12' background 'white'
set style line 1 lc rgb '#b8c8dc' lw 1
set style line 2 lc rgb '#d08a1d' lw 1.5
set style line 3 lc rgb '#1f5fa8' lw 2
set style line 4 lc rgb '#555555' lw 1.2 dt 2
set grid lc rgb '#dddddd' lt 1
sizes = system("tail -n +2 grains_sizes.csv | cut -d, -f1")
names = system("tail -n +2 grains_sizes.csv | cut -d, -f1 | sed ':a;s/\\B[0-9]\\{3\\}\\>/,&/;ta'")
# of the smallest size
first(key) = system("awk -F, 'NR == 1 {for (k = 1; $k != \"" . key . "\"; k++);} NR == 2 {print $k}' grains_sizes.csv")

set output 'grains.svg'
set multiplot layout 1,2 title 'The same triaxial test with a hundred times as many grains'
set xlabel 'axial strain [%]'
set ylabel 'q/p'
set yrange [1.3:*]
set key bottom right
plot for [k=1:words(sizes)] 'grains_' . word(sizes, k) . '.csv' using (100*column('strain')):'stress_ratio' \
         with lines ls k title word(names, k) . ' grains', \
     'grains_' . word(sizes, 1) . '.csv' using (100*column('strain')):'mean_stress_ratio' with lines ls 4 \
         title word(names, 1) . ', mean of all specimens'
set logscale xy
set xlabel 'grains'
set ylabel 'standard deviation of q/p'
set format y '10^{%T}'
set format x '10^{%T}'
set xrange [0.5*word(sizes, 1):2*word(sizes, words(sizes))]
set key top right
set yrange [1e-4:0.3]
plot 'grains_sizes.csv' using 'grains':'peak_mean_spread' with points pt 9 ps 1.2 lc rgb '#c23b22' title 'peaks of specimens', \
     'grains.csv' using 'grains':'scatter' with points pt 6 ps 0.8 lc rgb '#1f5fa8' title 'curves about their running mean', \
     'grains_sizes.csv' using 'grains':'scatter' with points pt 7 ps 1.2 lc rgb '#1f5fa8' title 'the same, mean of a size', \
     first('scatter')*(x/word(sizes, 1))**(-0.5) with lines ls 4 title 'power -1/2', \
     first('peak_mean_spread')*(x/word(sizes, 1))**(-0.5) with lines ls 4 notitle
unset multiplot
