#!/bin/sh
# 10 000 periods of the pendulum in Cartesian coordinates at tolerance 1e-12: the rod keeps its length to the end.
# Released from the horizontal, its period is 4 K sqrt(L/g) with K = 1.8540746773013719; eight samples in each.
python3 "$(dirname "$0")/soak.py" 1e-7 "40000*1.8540746773013719*sqrt(L/g)" --every "1.8540746773013719/2" <<'END'
title "Pendulum, 10 000 periods"
param   m = 1, L = 1, g = 1
coord   x, y
initial x = L, y = 0
kinetic    m/2*(x'^2 + y'^2)
potential  m*g*y
constraint rod: x^2 + y^2 = L^2
simulate until 1, tolerance 1e-12
expect always abs(residual(rod)) < 1e-12*L^2
END
