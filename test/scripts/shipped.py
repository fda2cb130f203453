"""What the tests know of the shipped models, by the name of the file."""

# Besides as they stand, models run with these settings; their expectations say what is known then.
SETTINGS = {
    "sphere-turntable": [["tilt=0"]],
    "duffing-control": [["alpha=4"]],
    "chain": [["N=1"], ["N=2"], ["N=20"]],
    "000-rolling-disk": [["kick=0"]],
    "001-pendulum": [["mu=0", "a=20"], ["a=0.5"], ["a=1"], ["a=2"]],
    "001-duffing-control": [["alpha=0.4"]],
    "002-auxiliary": [["alpha=30", "shift=5"]],
    "002-nonideal-slope": [["on_s=1"]],
    "002-rigid-body": [["on=0"]],
    "003-measured": [["w3=1000"]],
    "iftomm-a02-bodies": [["N=1"], ["N=40"]],
    "four-bar-3d": [["turnx=0", "turny=0", "turnz=0"], ["turnx=pi", "turny=0", "turnz=0"]],
    "bennett": [["alpha=80*deg"]],
    "cardan": [["bend=0"], ["bend=-60*deg"]],
    "double-cardan": [["bend=0"], ["bend=60*deg"]],
    "double-scott-russell": [["turnx=0", "turny=0", "turnz=0"]],
    "governor": [["fast=1.2"]],
    "serial-chain": [["N=1"], ["kick=0.5"]],
    "delta": [["mr=0"]],
    "six-rss": [["rough=0"], ["rough=0.2"]],
}

# A model warns of nothing but this.
WARNINGS = {
    "004-appell": ["the forces shown are those of least norm, not the only ones possible, for 'cone', 'again'"],
    "double-scott-russell": ["the forces shown are those of least norm, not the only ones possible, for 'base[0]', 'base[1]', "
                             "'rail[0]', 'rail[1]'"],
    "four-bar-3d": ["the forces shown are those of least norm, not the only ones possible, for 'B', 'D', 'A'"],
    "linkage": ["the forces shown are those of least norm, not the only ones possible, for 'tip'"],
    "h-frame": ["the forces shown are those of least norm, not the only ones possible, for 'left', 'right'"],
}
