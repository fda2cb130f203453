# Completion of trammel's command line for bash; written by 'trammel completion bash'.

_trammel() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command="" file word
    local options="" pattern="" names="" commands="new run check equations compare linearize equilibrium plot report view playground sweep emit import completion help"

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
    --vary) return ;;
    --lhs) return ;;
    --sobol) return ;;
    --random) return ;;
    --seed) return ;;
    --cases) pattern= ;;
    --keep) names="final samples" ;;
    --threads) return ;;
    --timeout) return ;;
    --stop-after) return ;;
    --continue) pattern= ;;
    --export) pattern= ;;
    --at) return ;;
    --inputs) return ;;
    --outputs) return ;;
    --until) return ;;
    --every) return ;;
    --tolerance) return ;;
    --rank-tolerance) return ;;
    --integrator) names="rk8 rk5 bdf adams" ;;
    --formulation) names="default fundamental inverse14 gauss dalembert gibbs-appell lagrange stacked auxiliary poincare" ;;
    --choice) return ;;
    --coordinates) names="auto joints bodies" ;;
    -o) pattern= ;;
    --prefix) return ;;
    --solver) names="both direct" ;;
    --format) names="svg png pdf" ;;
    --scene) return ;;
    --style) names="solid lines" ;;
    --view) names="iso front top side" ;;
    --width) return ;;
    --height) return ;;
    --font-size) return ;;
    --port) return ;;
    --loops) pattern= ;;
    --set) return ;;
    *)
        case $command in
        "") names="$commands --version" ;;
        new) options="--quiet" ;;
        run) options="--until --every --tolerance --rank-tolerance --integrator --formulation --choice --coordinates --exact --profile --plot --json -o --set --quiet" pattern='*.tram' ;;
        check) options="--tolerance --rank-tolerance --coordinates --json --set --quiet" pattern='*.tram' ;;
        equations) options="--latex --mathml --set --quiet" pattern='*.tram' ;;
        compare) options="--until --every --tolerance --rank-tolerance --integrator --choice --exact --along --json --set --quiet" pattern='*.tram' ;;
        linearize) options="--at --inputs --outputs --tolerance --rank-tolerance --json -o --set --quiet" pattern='*.tram' ;;
        equilibrium) options="--tolerance --rank-tolerance --json -o --set --quiet" pattern='*.tram' ;;
        plot) options="--vary --zip --lhs --sobol --random --seed --cases --threads --until --every --tolerance --rank-tolerance --integrator --formulation --choice --coordinates --exact -o --format --scene --animate --style --view --width --height --font-size --set --quiet" pattern='*.tram' ;;
        report) options="--vary --zip --lhs --sobol --random --seed --cases --threads --until --every --tolerance --rank-tolerance --integrator --formulation --choice --coordinates --exact -o --no-engine --set --quiet" pattern='*.tram' ;;
        view) options="--until --every --tolerance --rank-tolerance --integrator --formulation --choice --coordinates --exact --no-browser --port --set --quiet" pattern='*.tram' ;;
        playground) options="-o --quiet" pattern='*.tram' ;;
        sweep) options="--vary --zip --lhs --sobol --random --seed --cases --keep --threads --timeout --stop-after --continue --export --tidy --until --every --tolerance --rank-tolerance --integrator --formulation --choice --coordinates --exact --plot --json -o --set --quiet" pattern='*.tram' ;;
        emit) options="--coordinates -o --prefix --solver --jacobian --no-main --float --set --quiet" pattern='*.tram' ;;
        import) options="-o --loops --free-base --quiet" ;;
        completion) names="bash zsh fish" ;;
        help) names=$commands ;;
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
