# SPDX-License-Identifier: BSD-3-Clause
# The figures of docs/paper, from the tables in the current folder.
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
     'shear_paper.csv' using (100*column('strain')):'stress_ratio' with lines ls 3 title 'paper', \
     'shear_fast.csv' using (100*column('strain')):'stress_ratio' with lines ls 6 title 'exact, ten times as fast', \
     for [k=1:there('shear_slow.csv')] 'shear_slow.csv' using (100*column('strain')):'stress_ratio' with lines ls 5 \
         title 'exact, a fifth as fast'
set ylabel 'volumetric strain [%], compression positive'
set autoscale y
set key top right
plot 'shear.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 1 notitle, \
     'shear_conventional.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 2 notitle, \
     'shear_paper.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 3 notitle, \
     'shear_fast.csv' using (100*column('strain')):(100*column('strain_volume')) with lines ls 6 notitle
unset multiplot

if (there('shear_660.csv')) {
    set output 'stiffness.svg'
    set terminal svg size 760,720 font 'DejaVu Sans,12' background 'white'
    set multiplot layout 2,2 title 'The same at stiffnesses over a factor of ten: the author''s assembly, and twirl''s own'
    set xlabel 'axial strain [%]'
    do for [specimen=1:2] {
        runs = specimen == 1 ? 'shear_660 shear shear_6600' : 'shear_own_1000 shear_own shear_own_10000'
        names = specimen == 1 ? '"kn/(p D50) = 660" 3,300 6,600' : '"own, kn/(p D50) = 1,000" 3,300 10,000'
        set ylabel 'q/p'
        set key bottom right
        set yrange [0:*]
        plot for [k=1:3] word(runs, k) . '.csv' using (100*column('strain')):'stress_ratio' with lines \
                 ls (k == 1 ? 5 : k == 2 ? 1 : 4) title word(names, k)
        set ylabel 'volumetric strain [%], compression positive'
        set autoscale y
        set key off
        plot for [k=1:3] word(runs, k) . '.csv' using (100*column('strain')):(100*column('strain_volume')) \
                 with lines ls (k == 1 ? 5 : k == 2 ? 1 : 4)
        set key on
    }
    unset multiplot
    set terminal svg size 760,420 font 'DejaVu Sans,12' background 'white'
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
pick(law, state, size) = sprintf("< awk -F, '$2==\"%s\" && $3==\"-\" && $1==\"%s_%s\"' replay.csv", law, state, size)
sizes = '6e-6 6e-5 6e-4'
set arrow from graph 0, first 0.05 to graph 1, first 0.05 nohead lc rgb '#999999' dt 3
set label "the paper's 5 %" at graph 0.70, first 0.075 tc rgb '#666666'
laws = '"as printed" conventional paper exact'
colours = '#d08a1d #c23b22 #3a8f3a #1f5fa8'
open = '4 6 8 12'
full = '5 7 9 13'
plot for [k=1:4] for [size in sizes] pick(word(laws, k), 'moves', size) using 5:7 with linespoints \
         pt int(word(open, k)) lc rgb word(colours, k) title size eq '6e-6' ? word(laws, k) . ', q/p 0.8' : '', \
     for [k=1:4] for [size in sizes] pick(word(laws, k), 'moves_peak', size) using 5:7 with linespoints \
         pt int(word(full, k)) lc rgb word(colours, k) title size eq '6e-6' ? word(laws, k) . ', near the peak' : ''
unset arrow; unset label

set output 'refinements.svg'
drop(name, size) = sprintf("< awk -F, '$2==\"exact\" && $3==\"%s\" && $1==\"moves_%s\"' replay.csv", name, size)
parts = '- fresh instant turning tilt twirl'
names = '"exact" "without 1, fresh" "without 2, instant" "without 3, turning" "without 4a, tilt" "without 4b, twirl"'
colours = '#1f5fa8 #d08a1d #c23b22 #3a8f3a #8a5fb0 #555555'
marks = '12 4 6 8 10 2'
plot for [k=1:6] for [size in sizes] drop(word(parts, k), size) using 5:7 with linespoints \
         pt int(word(marks, k)) lc rgb word(colours, k) title size eq '6e-6' ? word(names, k) : ''
unset logscale

# ---- Loci of probes, with the circles that twirl run has fitted ----
if (there('probes_steps_30.csv')) {
    set output 'loci.svg'
    set terminal svg size 760,640 font 'DejaVu Sans,12' background 'white'
    set format '%g'
    set autoscale
    set size ratio -1
    set xlabel 'volumetric, plastic strain over stress [1/GPa]'
    set ylabel 'deviatoric [1/GPa]'
    set key outside right top
    set parametric
    set trange [0:2*pi]
    fit_of(run, stage, law, circle, column) = real(system(sprintf("awk -F, -v c=%d '$1==\"%s\" && $2==\"%s\" && $3==\"%s\" && $4==\"unload\" && $5==\"%s\" {print $c}' fits.csv", column, run, stage, law, circle)))
    fit(law, circle, column) = fit_of('probes', 'steps_30', law, circle, column)
    slow = there('probes_settled_steps_300.csv')
    slowd = slowx = slowy = 0
    slowfile = slow ? 'probes_settled_steps_300.csv' : '/dev/null'
    if (slow) {
        slowd = fit_of('probes_settled', 'steps_300', 'exact', 'loading', 8)
        slowx = fit_of('probes_settled', 'steps_300', 'exact', 'loading', 11)
        slowy = fit_of('probes_settled', 'steps_300', 'exact', 'loading', 12)
    }
    array big[3]; array bigx[3]; array bigy[3]; array small[3]; array smallx[3]; array smally[3]
    laws = 'exact paper conventional'
    do for [k=1:3] {
        big[k] = fit(word(laws, k), 'loading', 8)
        bigx[k] = fit(word(laws, k), 'loading', 11); bigy[k] = fit(word(laws, k), 'loading', 12)
        small[k] = fit(word(laws, k), 'unloading', 8)
        smallx[k] = fit(word(laws, k), 'unloading', 11); smally[k] = fit(word(laws, k), 'unloading', 12)
    }
    colours = '#1f5fa8 #3a8f3a #c23b22'
    marks = '12 8 6'
    points(law) = sprintf("< awk -F, 'NR==1 || $1==\"%s\"' probes_steps_30.csv", law)
    plot for [k=1:3] points(word(laws, k)) using (1e9*column('x')):(1e9*column('y')) with points \
             pt int(word(marks, k)) lc rgb word(colours, k) title word(laws, k), \
         for [k=1:3] 0.5e9*big[k]*(bigx[k] + cos(t)), 0.5e9*big[k]*(bigy[k] + sin(t)) with lines lc rgb word(colours, k) notitle, \
         for [k=1:3] 0.5e9*small[k]*(smallx[k] + cos(t)), 0.5e9*small[k]*(smally[k] + sin(t)) with lines dt 2 lc rgb word(colours, k) notitle, \
         for [k=1:slow] slowfile using (1e9*column('x')):(1e9*column('y')) with points pt 7 ps 0.5 lc rgb '#555555' title 'exact, 300 steps and 300 of waiting', \
         for [k=1:slow] 0.5e9*slowd*(slowx + cos(t)), 0.5e9*slowd*(slowy + sin(t)) with lines lc rgb '#aaaaaa' notitle
    unset parametric
}

# ---- Modulus against the steps of a probe ----
if (there('probes_rate_steps_30.csv')) {
    set output 'steps.svg'
    set terminal svg size 760,420 font 'DejaVu Sans,12' background 'white'
    set size noratio
    set logscale x
    set format '%g'
    set xrange [2:5000]
    set yrange [0:*]
    set xlabel 'steps of the loading'
    set ylabel 'plastic modulus [MPa]'
    set key top right inside
    mean(run) = sprintf("< awk -F, '$1 ~ /^(%s)$/ && $2 !~ /rest/ && $3==\"exact\" && $4==\"unload\" && $5==\"loading\" {n = $2; sub(/.*_/, \"\", n); print n \",\" $7/1e6}' fits.csv | sort -t, -k1n", run)
    plot mean('probes_steps') using 1:2 with linespoints pt 6 lc rgb '#c23b22' title 'measured when they are over', \
         mean('probes_rate') using 1:2 with linespoints pt 7 lc rgb '#1f5fa8' title 'and at rest'
}
