# Completion of streamj for bash; `streamj completions bash` prints this file.

# Sets `options` and `operand` of a command. Each option is followed by what its value
# is: words, @file, @directory, @command or @none; two equals signs if the value is not
# a word of its own.
_streamj_table() {
    case $1 in
        '')
            operand='text,tools,usage,error,events,session,summary,view,check,structured,findings,sessions,grep,report,serve,wrap,prompt,escalate,memories,redact,harness,completions,schema,man,help'
            options='
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
                -V
                --version
            '
            ;;
        'text')
            operand='@file'
            options='
                --last
                --main-only
                --ci-safe
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'tools')
            operand='@file'
            options='
                --name=@none
                --failed
                -e
                --exit-status
                --max-output=@none
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'usage')
            operand='@file'
            options='
                --by=session,day,week,month,block,model,project,harness,request
                --home
                --since=@none
                --until=@none
                --utc
                --timezone=@none
                --model=@none
                --order=asc,desc
                --limit=@none
                --breakdown
                --no-total
                --cost=reported,estimated,both
                --estimate
                --prices=@file
                --estimate-model=@none
                --plot==tokens,cost
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'error')
            operand='@file'
            options='
                -e
                --exit-status
                --fail-on=denied,tool-failure,warning
                --no-heuristics
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'events')
            operand='@file'
            options='
                --tag=all,codex,none
                --unified
                --format=json,jsonl,sse
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'session')
            operand='@file'
            options='
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'summary')
            operand='@file'
            options='
                --no-heuristics
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'view')
            operand='@file'
            options='
                --full
                --thinking
                --no-thinking
                --no-markdown
                --ascii
                --width=@none
                --follow
                --no-heuristics
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'check')
            operand='@file'
            options='
                --contract=v1,current
                --members
                --every-line
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'structured')
            operand='@file'
            options='
                --schema=@file
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'findings')
            operand='@file'
            options='
                --print-schema
                --db=@file
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'sessions')
            operand='@file'
            options='
                --cli=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --since=@none
                --until=@none
                --model=@none
                --failed
                --limit=@none
                --wide
                --home
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'grep')
            operand='@none'
            options='
                --in=text,prompt,thinking,tool-input,tool-output
                -i
                --ignore-case
                -F
                --fixed-strings
                -l
                --files-with-matches
                -c
                --count
                -C=@none
                --context=@none
                --since=@none
                --home
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'report')
            operand='@file'
            options='
                -o=@file
                --output=@file
                --format=html,markdown
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                -q
                --quiet
                -h
                --help
            '
            ;;
        'serve')
            operand='@file'
            options='
                --home
                --port=@none
                --token-file=@file
                --open
                --db=@file
                --project=@none
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --threads=@none
                --redact
                --redact-pattern=@none
                --redact-file=@file
                -q
                --quiet
                -h
                --help
            '
            ;;
        'wrap')
            operand='@command'
            options='
                --as=@none
                --tee=@file
                --record=@file
                --serve==@none
                --with-events
                --schema=@file
                --timeout=@none
                --idle-timeout=@none
                --exit-grace=@none
                --background-grace=@none
                --kill-after=@none
                --complete=stream,full,none
                --model=@none
                --dry-run
                --exit-status=auto,child,category
                --fail-on=denied,tool-failure,warning
                --on-closed-stdout=kill,continue
                --no-stdin
                --strip-auth
                --env=@none
                --unset=@none
                --cwd=@directory
                --subject=@none
                --no-heuristics
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'prompt')
            operand='@none'
            options='
                --lines
                --paragraphs
                --image=@file
                --interrupt
                --cancel=@none
                --request-id=@none
                --session-id=@none
                -h
                --help
            '
            ;;
        'escalate')
            operand='@none'
            options='
                --db=@file
                --tier=@none
                --config=@file
                --max-tier=@none
                --dry-run
                --cooldown=@none
                --cooldown-limit=@none
                --handoff=@file
                --every=@none
                --schema=@file
                --as=@none
                --decisions=@file
                --record-dir=@directory
                --serve==@none
                --timeout=@none
                --idle-timeout=@none
                --exit-grace=@none
                --background-grace=@none
                --kill-after=@none
                --no-stdin
                --strip-auth
                --env=@none
                --unset=@none
                --cwd=@directory
                --harness=claude,codex,gemini,qwen,amp,copilot,pi,kimi,cline,opencode,kilo,cursor,goose,grok,acp,droid,vibe,openhands
                --harness-file=@file
                --max-line=@none
                --strict
                --redact
                --redact-pattern=@none
                --redact-file=@file
                --csv-safe
                -q
                --quiet
                --color=auto,always,never
                -h
                --help
            '
            ;;
        'memories')
            operand='@none'
            options='
                --db=@file
                --decay
                --format=human,json,jsonl,tsv,csv
                --json
                --get=@none
                --csv-safe
                -q
                --quiet
                -h
                --help
            '
            ;;
        'redact')
            operand='@file'
            options='
                --project=@none
                --harness-file=@file
                --max-line=@none
                --redact
                --redact-pattern=@none
                --redact-file=@file
                -q
                --quiet
                -h
                --help
            '
            ;;
        'harness')
            operand='list,infer'
            options='
                --name=@none
                --harness-file=@file
                -h
                --help
            '
            ;;
        'completions')
            operand='bash,elvish,fish,powershell,zsh'
            options='
                -h
                --help
            '
            ;;
        'schema')
            operand='agent-response,agent-response-strict,error,events,session,summary,tools,usage'
            options='
                -h
                --help
            '
            ;;
        'man')
            operand='text,tools,usage,error,events,session,summary,view,check,structured,findings,sessions,grep,report,serve,redact,wrap,prompt,escalate,memories,harness,completions,man,schema'
            options='
                -h
                --help
            '
            ;;
        'help')
            operand='text,tools,usage,error,events,session,summary,view,check,structured,findings,sessions,grep,report,serve,wrap,prompt,escalate,memories,redact,harness,completions,schema,man,help'
            options='
            '
            ;;
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
