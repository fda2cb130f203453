#!/bin/sh
# The program with little memory: it does its work, or says that there is too little and exits with 3. Never a crash,
# never silence. The limits go from what it takes to load the program to plenty.
program=${TRAMMEL:?} source=${SOURCE_DIR:?}
case $program in /*) ;; *) program=$PWD/$program ;; esac
if grep -q __asan_init "$program"; then
    echo "skipped: sanitizers need more memory than any limit allows"
    exit 0
fi
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
model=$source/models/classics/chain.tram
passed=0
failed=0
refused=0

# limited KILOBYTES ARGUMENT...
limited() {
    limit=$1
    shift
    (ulimit -v "$limit" && ulimit -t 600 && exec "$program" "$@") >"$work/out" 2>"$work/err"
    code=$?
    case $code in
    0) [ -s "$work/out" ] ;;
    3) [ ! -s "$work/out" ] && [ "$(grep -c 'needs more memory than there is' "$work/err")" = 1 ] && refused=$((refused + 1)) ;;
    *) false ;;
    esac
    if [ $? = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "ulimit -v $limit; trammel $*: exit code $code"
        cat "$work/err"
    fi
}

limit=2000
until (ulimit -v $limit && exec "$program" --version) >"$work/out" 2>&1; do
    limit=$((limit + 200))
    [ $limit -lt 1000000 ] || { echo "the program does not start" && exit 1; }
done
most=$((limit + 5000))
while [ $limit -le $most ]; do
    limited $limit run "$model" --set N=40 --until 0.01 --json
    limited $limit check "$model" --set N=40
    limited $limit equations "$model" --set N=40
    limit=$((limit + 200))
done
[ $refused -gt 0 ] || { echo "no limit was too low" && failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
