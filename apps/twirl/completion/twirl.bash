# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash. The program itself says what there is: commands, options and keys of scenarios.

_twirl_words() # first column of a table of the program, "=" after options with an argument
{
    "${COMP_WORDS[0]}" "$@" 2>/dev/null | awk -F '\t' '{ print $1 ($2 != "" ? "=" : "") }'
}

# Keys of scenarios; a stage that is named, as in stages[shear].rate, stays as it is.
_twirl_keys()
{
    local keys
    keys=$("${COMP_WORDS[0]}" keys --names 2>/dev/null)
    if [[ $1 =~ ^stages\[[^]]+\] ]]; then keys=${keys//'stages[]'/"${BASH_REMATCH[0]}"}; fi
    mapfile -t COMPREPLY < <(compgen -W "$keys" -S = -- "$1")
}

# Keys and the sections they are in: "stages[].end.strain", "stages[].end", "stages[]".
_twirl_sections()
{
    "${COMP_WORDS[0]}" keys --names 2>/dev/null | awk '{ do print; while (sub(/\.[^.]*$/, "")) }' | sort -u
}

_twirl()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} option=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_twirl_words --print-options) --help --version" -- "$word")
        return
    fi
    # The shell splits --name=value into three words.
    if [ "$word" = = ]; then option=$before word=''; fi
    if [ "$before" = = ]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi
    case $option in
        '') ;;
        --set | --vary)
            compopt -o nospace
            _twirl_keys "$word"
            return ;;
        --device)
            mapfile -t COMPREPLY < <(compgen -W "cpu cuda emulated lammps" -- "$word")
            return ;;
        *)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_twirl_words "${COMP_WORDS[1]}" --print-options)" -- "$word")
        [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
        return
    fi
    if [ "${COMP_WORDS[1]}" = keys ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_twirl_sections)" -- "$word")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _twirl twirl
