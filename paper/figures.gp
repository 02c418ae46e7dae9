# SPDX-License-Identifier: BSD-3-Clause
# The figures of docs/paper, from the tables in the present folder.
set datafile separator ','
set terminal svg size 760,420 font 'DejaVu Sans,12' background 'white'
set style line 1 lc rgb '#1f5fa8' lw 2
set style line 2 lc rgb '#c23b22' lw 2 dt 2
set style line 3 lc rgb '#3a8f3a' lw 2 dt 4
set style line 4 lc rgb '#8a5fb0' lw 2
set style line 5 lc rgb '#d08a1d' lw 2
set style line 6 lc rgb '#555555' lw 2 dt 3
set grid lc rgb '#dddddd' lt 1
set key spacing 1.2
there(name) = int(system(sprintf('test -e %s && echo 1 || echo 0', name)))

set output 'triaxial.svg'
set multiplot layout 1,2 title 'Constant-p triaxial compression'
set xlabel 'axial strain [%]'
set ylabel 'q/p'
set key bottom right
set yrange [0:*]
plot 'shear.csv' using (100*column('strain')):'stress_ratio' with lines ls 1 title 'exact', \
     'shear_conventional.csv' using (100*column('strain')):'stress_ratio' with lines ls 2 title 'conventional', \
     'shear_paper.csv' using (100*column('strain')):'stress_ratio' with lines ls 3 title 'paper'
set ylabel 'volumetric strain [%], compression positive'
set autoscale y
set key top right
plot 'shear.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 1 notitle, \
     'shear_conventional.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 2 notitle, \
     'shear_paper.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 3 notitle
unset multiplot

if (there('shear_1000.csv')) {
    set output 'stiffness.svg'
    set multiplot layout 1,2 title 'The same at three stiffnesses, and on the specimen that twirl makes'
    set xlabel 'axial strain [%]'
    set ylabel 'q/p'
    set key bottom right
    set yrange [0:*]
    plot 'shear_1000.csv' using (100*column('strain')):'stress_ratio' with lines ls 5 title 'kn/(p D50) = 1,000', \
         'shear.csv' using (100*column('strain')):'stress_ratio' with lines ls 1 title '3,300', \
         'shear_10000.csv' using (100*column('strain')):'stress_ratio' with lines ls 4 title '10,000', \
         there('shear_own.csv') ? 'shear_own.csv' : 1/0 using (100*column('strain')):'stress_ratio' with lines ls 6 title "twirl's own, 3,300"
    set ylabel 'volumetric strain [%], compression positive'
    set autoscale y
    set key off
    plot 'shear_1000.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 5, \
         'shear.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 1, \
         'shear_10000.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 4, \
         there('shear_own.csv') ? 'shear_own.csv' : 1/0 using (100*column('strain')):(100*column('strain_volume')) with lines ls 6
    unset multiplot
    set key on
}

# ---- Stress tensors, as in the paper's last figure ----
set output 'rotation.svg'
unset grid; unset xtics; unset ytics; unset border; unset key; unset xlabel; unset ylabel
set xrange [0:10]; set yrange [0:10]
set multiplot layout 2,3 title 'Stress [kPa] at q/p = 0.8, turned by 90 degrees about x1 in 1000 increments and turned back'
entry(case, i) = system(sprintf("awk -F, '$2==\"%s\" && ($1==\"x1\" || $1==\"-\") {printf \"%%.2f\", $%d}' rotation.csv", case, i + 2))
row(case, k) = sprintf('%s   %s   %s', entry(case, k), entry(case, k + 1), entry(case, k + 2))
do for [case in "a b c d e1000 conventional"] {
    what = case eq 'a' ? '(a) before' : case eq 'b' ? '(b) paper, no projection, no twirl' : \
           case eq 'c' ? '(c) paper, projection only' : case eq 'd' ? '(d) paper, both' : \
           case eq 'e1000' ? '(e) exact' : 'conventional'
    set title what
    set label 1 row(case, 1) at 5, 8 center
    set label 2 row(case, 4) at 5, 5.5 center
    set label 3 row(case, 7) at 5, 3 center
    set arrow 1 from 0.2,1.8 to 0.2,9.2 nohead lw 1.5
    set arrow 2 from 9.8,1.8 to 9.8,9.2 nohead lw 1.5
    plot 1/0
}
unset multiplot
unset label; unset arrow; unset title
set border; set xtics; set ytics; set grid; set key on; set autoscale

# ---- The map: error of a law against the movement of a contact per step ----
set output 'replay.svg'
set terminal svg size 760,560 font 'DejaVu Sans,12' background 'white'
set logscale xy
set format x '10^{%T}'; set format y '10^{%T}'
set xlabel 'movement per step / slip displacement, kt |dξ| / (μ fn), of the contacts that slide'
set ylabel 'error of what slip takes from the stress increment'
set key outside right top
set yrange [1e-7:1]
pick(law, state) = sprintf("< awk -F, '$2==\"%s\" && $3==\"-\" && $1 ~ /^%s_[0-9]/ {print}' replay.csv", law, state)
set arrow from graph 0, first 0.05 to graph 1, first 0.05 nohead lc rgb '#999999' dt 3
set label "the paper's 5 %" at graph 0.02, first 0.065 tc rgb '#666666'
plot pick('as printed', 'moves') using 5:7 with points pt 4 lc rgb '#d08a1d' title 'as printed, q/p 0.8', \
     pick('as printed', 'moves_peak') using 5:7 with points pt 5 lc rgb '#d08a1d' title 'q/p 1.5', \
     pick('conventional', 'moves') using 5:7 with points pt 6 lc rgb '#c23b22' title 'conventional, q/p 0.8', \
     pick('conventional', 'moves_peak') using 5:7 with points pt 7 lc rgb '#c23b22' title 'q/p 1.5', \
     pick('paper', 'moves') using 5:7 with points pt 8 lc rgb '#3a8f3a' title 'paper, q/p 0.8', \
     pick('paper', 'moves_peak') using 5:7 with points pt 9 lc rgb '#3a8f3a' title 'q/p 1.5', \
     pick('exact', 'moves') using 5:7 with points pt 12 lc rgb '#1f5fa8' title 'exact, q/p 0.8', \
     pick('exact', 'moves_peak') using 5:7 with points pt 13 lc rgb '#1f5fa8' title 'q/p 1.5'
unset arrow; unset label

set output 'refinements.svg'
drop(name, state) = sprintf("< awk -F, '$2==\"exact\" && $3==\"%s\" && $1 ~ /^%s_[0-9]/ {print}' replay.csv", name, state)
plot drop('-', 'moves') using 5:7 with points pt 12 lc rgb '#1f5fa8' title 'exact', \
     drop('fresh', 'moves') using 5:7 with points pt 4 lc rgb '#d08a1d' title 'without 1, fresh', \
     drop('instant', 'moves') using 5:7 with points pt 6 lc rgb '#c23b22' title 'without 2, instant', \
     drop('turning', 'moves') using 5:7 with points pt 8 lc rgb '#3a8f3a' title 'without 3, turning', \
     drop('tilt', 'moves') using 5:7 with points pt 10 lc rgb '#8a5fb0' title 'without 4a, tilt', \
     drop('twirl', 'moves') using 5:7 with points pt 2 lc rgb '#555555' title 'without 4b, twirl'
