# Completion of trammel's command line for bash.

_trammel() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command="" file word
    local commands="new run check equations compare linearize plot report view import help"
    local simulate="--until --every --tolerance --formulation --integrator --exact"
    local options="--quiet --set" pattern='*.tram' names=""

    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ " $commands " == *" $word "* ]]; then
            command=$word
            break
        fi
    done

    # what stands in the command's place and is none has no options
    if [[ -z $command && $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]]; then
        COMPREPLY=()
        return
    fi

    case $prev in
    --formulation) names="default fundamental inverse14 gauss dalembert gibbs-appell lagrange stacked auxiliary poincare" ;;
    --integrator) names="rk8 rk5 bdf adams" ;;
    --format) names="svg png pdf" ;;
    --until | --every | --tolerance | --set | --port) return ;;
    -o | --loops) pattern= ;;
    *)
        case $command in
        "") names="$commands --version" ;;
        help) names=$commands ;;
        run) options+=" $simulate --profile --json --plot -o" ;;
        report) options+=" $simulate -o" ;;
        view) options+=" $simulate --port" ;;
        check | linearize) options+=" --json" ;;
        compare) options+=" --along $simulate --json" ;;
        equations) options+=" --latex --mathml" ;;
        plot) options+=" --format $simulate -o" ;;
        import) options+=" -o --loops --free-base" pattern='*.urdf' ;;
        esac
        [[ $cur == -* && -z $names ]] && names=$options
        ;;
    esac

    COMPREPLY=()
    if [[ -n $names ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$names" -- "$cur")
        return
    fi
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        # shellcheck disable=SC2053 # the right side is a pattern
        [[ -z $pattern || -d $file || $file == $pattern ]] && COMPREPLY+=("$file")
    done < <(compgen -f -- "$cur")
}

complete -F _trammel trammel
