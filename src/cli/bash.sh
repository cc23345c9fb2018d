# Completion of streamj for bash; `streamj completions bash` prints this file.

# Sets `options` and `operand` of a command. Each option is followed by what its value
# is: words, @file, @directory, @command or @none; two equals signs if the value is not
# a word of its own.
_streamj_table() {
    case $1 in
    # TABLE
        *)
            operand=@none
            options=
            ;;
    esac
}

# Sets `kind` to what the value of an option is.
_streamj_kind() {
    local entry
    kind=
    for entry in $options; do
        if [[ ${entry%%=*} == "$1" && $entry == *=* ]]; then
            kind=${entry#*=}
        fi
    done
}

# Completes the current word as a value of this kind.
_streamj_complete() {
    local line arguments
    case $1 in
        @none) return ;;
        @file) arguments=(-f) ;;
        @directory) arguments=(-d) ;;
        @command) arguments=(-c) ;;
        *) arguments=(-W "${1//,/ }") ;;
    esac
    if [[ $1 == @file || $1 == @directory ]] && type compopt &>/dev/null; then
        compopt -o filenames 2>/dev/null
    fi
    while IFS= read -r line; do
        COMPREPLY+=("$2$line")
    done < <(compgen "${arguments[@]}" -- "$cur")
}

_streamj() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]}
    local command= option= kind= options operand word names index operands=0 is_rest=
    COMPREPLY=()
    _streamj_table ''
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ $is_rest ]]; then
            operands=$((operands + 1))
        elif [[ $word == = ]]; then
            # Bash splits --name=value into three words.
            option=${COMP_WORDS[index - 1]}
        elif [[ $option && ($word != -* || ${COMP_WORDS[index - 1]} == =) ]]; then
            option=
        elif [[ $word == -- ]]; then
            is_rest=1 option=
        elif [[ $word == -* ]]; then
            _streamj_kind "$word"
            option=
            [[ $kind && $kind != =* ]] && option=$word
        elif [[ ! $command ]]; then
            command=$word
            _streamj_table "$command"
        else
            operands=$((operands + 1))
            # The rest belongs to the command that is run.
            [[ $operand == @command ]] && is_rest=1
        fi
    done

    if [[ $cur == = && ! $is_rest ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} cur=
        _streamj_kind "$option"
        _streamj_complete "${kind#=}"
    elif [[ $option && ($cur != -* || ${COMP_WORDS[COMP_CWORD - 1]} == =) ]]; then
        _streamj_kind "$option"
        _streamj_complete "${kind#=}"
    elif [[ $cur == --*=* && ! $is_rest ]]; then
        # The user has removed the equals sign from COMP_WORDBREAKS.
        option=${cur%%=*} cur=${cur#*=}
        _streamj_kind "$option"
        _streamj_complete "${kind#=}" "$option="
    elif [[ $cur == -* && ! $is_rest ]]; then
        names=
        for word in $options; do
            names+=",${word%%=*}"
        done
        _streamj_complete "$names"
    elif [[ $operand == @command && $operands -gt 0 ]]; then
        _streamj_complete @file
    else
        _streamj_complete "$operand"
    fi
}

complete -F _streamj streamj
