#!/bin/sh
# Runs the program on wrong models and compares what it says, to the letter, with what it should say.
#
# test/lang/wrong/NAME.txt is a transcript: the command, all of standard error, the exit code. The model is NAME.tram
# beside it. Models that are too large to keep are made here.
# Usage: wrong.sh [--rewrite] [NAME ...]    --rewrite: what the program says now becomes what it should say
set -f # arguments such as m[1]=3 are no patterns
program=${TRAMMEL:?} source=${SOURCE_DIR:?}
case $program in /*) ;; *) program=$PWD/$program ;; esac
rewrite=
if [ "$1" = --rewrite ]; then
    rewrite=yes
    shift
fi
only=" $* "
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# transcript COMMAND...: what is shown when the program runs with these arguments. KILL, because TERM asks for a tidy
# end: nothing here may take long.
transcript() {
    echo "\$ trammel $*"
    timeout -s KILL 60 "$program" "$@" 2>&1 >/dev/null
    echo "exit $?"
}

# compare NAME EXPECTED ACTUAL
compare() {
    if diff -u "$2" "$3" >"$work/difference"; then
        passed=$((passed + 1))
    elif [ "$rewrite" ] && [ -f "$source/test/lang/wrong/$1.txt" ]; then
        cp "$3" "$2"
        echo "$1: rewritten"
    else
        failed=$((failed + 1))
        echo "$1: FAILED"
        sed 1,2d "$work/difference"
    fi
}

wanted() {
    [ "$only" = "  " ] || case $only in *" $1 "*) true ;; *) false ;; esac
}

cd "$source/test/lang/wrong" || exit
for file in $(ls | grep '\.txt$'); do
    name=${file%.txt}
    wanted "$name" || continue
    set -- $(sed -n '1s/^\$ trammel //p' "$file")
    transcript "$@" >"$work/actual"
    compare "$name" "$file" "$work/actual"
done
for file in $(ls | grep '\.tram$'); do
    [ -f "${file%.tram}.txt" ] || { echo "$file: FAILED: ${file%.tram}.txt is missing"; failed=$((failed + 1)); }
done

# --- models that are made here

cd "$work" || exit

# made NAME [CODE]: the model NAME.tram is there; the messages follow on standard input, without the lines they show
made() {
    if ! wanted "$1"; then
        cat >/dev/null
        return
    fi
    { echo "\$ trammel check $1.tram" && cat && echo "exit ${2-2}"; } >expected
    transcript check "$1.tram" | sed '/^    /d' >actual
    compare "$1" expected actual
}

repeat() { # TEXT COUNT
    awk -v text="$1" -v count="$2" 'BEGIN { for (i = 0; i < count; i++) printf "%s", text }'
}

start="coord x
kinetic x'^2/2"

{ echo "$start" && printf 'potential ' && repeat '(' 1000 && printf x && repeat ')' 1000 && echo; } >brackets.tram
made brackets <<'END'
brackets.tram:3:411: error: brackets and signs are nested more than 400 deep
END

{ echo "$start" && printf 'potential ' && repeat - 1000 && echo x; } >signs.tram
made signs <<'END'
signs.tram:3:411: error: brackets and signs are nested more than 400 deep
END

{ echo "$start" && printf 'potential ' && repeat '*x' 1000 | cut -c2-; } >factors.tram
made factors <<'END'
factors.tram:3:810: error: this expression is nested more than 400 deep
END

# a long sum is fine
{ echo "$start" && printf 'potential ' && repeat '+x' 100000 | cut -c2-; } >terms.tram
made terms 0 <<'END'
END

{ echo "$start" && awk 'BEGIN { for (i = 1; i <= 200; i++) printf "for i%d in 1..1: ", i; print "potential x" }'; } >loops.tram
made loops <<'END'
loops.tram:3:1693: error: loops are nested too deep
END

# nothing but 2^90 iterations
{ echo "$start" && awk 'BEGIN { for (i = 1; i <= 90; i++) printf "for i%d in 1..2: ", i; print "potential x" }'; } >doubling.tram
made doubling <<'END'
doubling.tram:3:1505: error: the model grows too large here
END

{ echo "$start" && echo 'let a0 = x' && awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "let a%d = sin(a%d)\n", i, i - 1 }' &&
    echo 'potential a5000'; } >definitions.tram
made definitions <<'END'
definitions.tram:4504:17: error: expressions and definitions are nested too deep here
definitions.tram:5004:11: used here:
END

{ echo "$start" && repeat 'x y z
' 200000; } >garbage.tram
if wanted garbage; then # only that it ends soon, and says how much it did not show
    transcript check garbage.tram | sed -n '1,5p; $p; /^and/p' >actual
    cat >expected <<'END'
$ trammel check garbage.tram
garbage.tram:3:1: error: expected a statement, found 'x'
    x y z
    ^
    statements start with a word such as param, coord, kinetic, constraint, simulate
and 980 more errors
exit 2
END
    compare garbage expected actual
fi

awk 'BEGIN { for (i = 0; i < 1000000; i++) print "# twenty bytes here" }' >large.tram
{ echo '$ trammel check large.tram' &&
    echo "error: cannot read 'large.tram': it is larger than 16 MiB, the most that a model file may be" && echo 'exit 4'; } >expected
if wanted large; then
    transcript check large.tram >actual
    compare large expected actual
fi

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    echo "include \"deep$((i + 1)).tram\"" >"deep$i.tram"
done
echo "$start" >deep21.tram
made deep1 <<'END'
deep16.tram:1:9: error: includes are nested more than 16 deep
END

# no circle, but 100^8 files
for i in 1 2 3 4 5 6 7 8; do
    repeat "include \"bomb$((i + 1)).tram\"
" 100 >"bomb$i.tram"
done
echo 'potential x' >bomb9.tram
echo "$start" >>bomb1.tram
made bomb1 <<'END'
bomb8.tram:85:9: error: this includes more than 1000 files
END

# many ways to the same file
{ repeat 'include "./other.tram"
' 300 && echo "$start"; } >ways.tram
repeat 'include "../'"$(basename "$work")"'/ways.tram"
' 300 >other.tram
if wanted ways; then
    transcript check ways.tram | sed -n '2s/:.*//p; $p; /^and/p' >actual
    printf './other.tram\nand 980 more errors\nexit 2\n' >expected
    compare ways expected actual
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
