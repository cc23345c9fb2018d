
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'streamj' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'streamj'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'streamj' {
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('text', 'text', [CompletionResultType]::ParameterValue, 'What the agent said')
            [CompletionResult]::new('tools', 'tools', [CompletionResultType]::ParameterValue, 'Which tools ran, with input, outcome and output')
            [CompletionResult]::new('usage', 'usage', [CompletionResultType]::ParameterValue, 'Tokens, cost and time, of a run or of a whole folder')
            [CompletionResult]::new('error', 'error', [CompletionResultType]::ParameterValue, 'Did it fail, and why: the error with its category')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Every event, tagged with its harness')
            [CompletionResult]::new('session', 'session', [CompletionResultType]::ParameterValue, 'Session id, model, directory, version, tools')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'The whole run as one object')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'The run for a person, live')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Does every line keep the contract of its CLI')
            [CompletionResult]::new('structured', 'structured', [CompletionResultType]::ParameterValue, 'The document the run was asked for, valid or not')
            [CompletionResult]::new('findings', 'findings', [CompletionResultType]::ParameterValue, 'What the agent reports: events, memories, escalation')
            [CompletionResult]::new('wrap', 'wrap', [CompletionResultType]::ParameterValue, 'Run the agent CLI: clocks, a record, nothing left behind')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Words for the agent: stream-json input lines')
            [CompletionResult]::new('escalate', 'escalate', [CompletionResultType]::ParameterValue, 'Agents in tiers: the next one runs when one asks for it')
            [CompletionResult]::new('memories', 'memories', [CompletionResultType]::ParameterValue, 'What agents have learnt, for the next one')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'streamj;text' {
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--last', '--last', [CompletionResultType]::ParameterName, 'Only the final answer')
            [CompletionResult]::new('--main-only', '--main-only', [CompletionResultType]::ParameterName, 'Without the words of subagents')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;tools' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Only tools with this name; * and ? are wildcards (repeatable)')
            [CompletionResult]::new('--max-output', '--max-output', [CompletionResultType]::ParameterName, 'Cut outputs after this many bytes (K, M, G)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/session_id`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--failed', '--failed', [CompletionResultType]::ParameterName, 'Only calls that failed or were denied')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;usage' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'One table over all files, with a row for each of these')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only what was used from this day on: 2026-11-01, yesterday, 7d')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only what was used up to this day, the day included; or before a time')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Estimate by the prices in this file')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Draw the rows as bars: tokens, or --plot=cost')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/session_id`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Read what Claude Code and Codex keep on this machine')
            [CompletionResult]::new('--utc', '--utc', [CompletionResultType]::ParameterName, 'Days of UTC instead of local time')
            [CompletionResult]::new('--estimate', '--estimate', [CompletionResultType]::ParameterName, 'Estimate the cost by the prices of the tokens')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;error' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/session_id`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Let the exit status tell the category')
            [CompletionResult]::new('--exit-status', '--exit-status', [CompletionResultType]::ParameterName, 'Let the exit status tell the category')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not guess at runs that asked a question or left work behind')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;events' {
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Which events get a "harness" member')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member of each event only, strings raw: `/type`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--unified', '--unified', [CompletionResultType]::ParameterName, 'Print the harness-neutral events instead of the CLI''s own')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;session' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/session_id`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;summary' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/session_id`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not guess at runs that asked a question or left work behind')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;view' {
            [CompletionResult]::new('--width', '--width', [CompletionResultType]::ParameterName, 'Wrap at this column [default: that of the terminal]')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show inputs, outputs and diffs')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'Show all of the thinking')
            [CompletionResult]::new('--no-thinking', '--no-thinking', [CompletionResultType]::ParameterName, 'Show none of the thinking')
            [CompletionResult]::new('--no-markdown', '--no-markdown', [CompletionResultType]::ParameterName, 'Leave Markdown as it is')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Signs from ASCII only')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Go on reading a file that grows')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not guess at runs that asked a question or left work behind')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;check' {
            [CompletionResult]::new('--contract', '--contract', [CompletionResultType]::ParameterName, 'What lines must keep')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/code`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--every-line', '--every-line', [CompletionResultType]::ParameterName, 'Also print the lines that are right')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;structured' {
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Print it only if it keeps this JSON Schema (drafts 4 to 2020-12)')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/escalation/needed`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;findings' {
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'Also store the run in this SQLite file')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/session_id`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--print-schema', '--print-schema', [CompletionResultType]::ParameterName, 'Print the schema of an agent''s response and exit')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;wrap' {
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'What to print: a reading command with its options, or raw [default: view on a terminal, else text]')
            [CompletionResult]::new('--tee', '--tee', [CompletionResultType]::ParameterName, 'Keep the raw stream in a file')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Write the summary to a file when the run is over, however it ends')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Ask the agent for a document of this JSON Schema, and check it')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End the run after this time (90s, 10m, 1h30m; 0 is never)')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End the run when it has been silent for this time (0 is never)')
            [CompletionResult]::new('--exit-grace', '--exit-grace', [CompletionResultType]::ParameterName, 'End the run when it goes on this long after its result (0 is never)')
            [CompletionResult]::new('--kill-after', '--kill-after', [CompletionResultType]::ParameterName, 'Kill what has not ended this long after being asked to')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'How far to complete the command line')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model for --complete full')
            [CompletionResult]::new('--exit-status', '--exit-status', [CompletionResultType]::ParameterName, 'What the exit status tells')
            [CompletionResult]::new('--on-closed-stdout', '--on-closed-stdout', [CompletionResultType]::ParameterName, 'When nobody reads the output [default: continue with --tee or --record, else kill]')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Set a variable for the command (repeatable)')
            [CompletionResult]::new('--unset', '--unset', [CompletionResultType]::ParameterName, 'Remove a variable for the command (repeatable)')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Run the command in this folder')
            [CompletionResult]::new('--subject', '--subject', [CompletionResultType]::ParameterName, 'A label for the lines about credentials')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--with-events', '--with-events', [CompletionResultType]::ParameterName, 'Put the events into the record, too')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the completed command line and exit')
            [CompletionResult]::new('--no-stdin', '--no-stdin', [CompletionResultType]::ParameterName, 'Give the command no standard input')
            [CompletionResult]::new('--strip-auth', '--strip-auth', [CompletionResultType]::ParameterName, 'Remove API keys and base URLs from the command''s environment')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not guess at runs that asked a question or left work behind')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;prompt' {
            [CompletionResult]::new('--image', '--image', [CompletionResultType]::ParameterName, 'Add an image to the first message (repeatable)')
            [CompletionResult]::new('--cancel', '--cancel', [CompletionResultType]::ParameterName, 'Withdraw a request')
            [CompletionResult]::new('--request-id', '--request-id', [CompletionResultType]::ParameterName, 'The id of the interrupting request')
            [CompletionResult]::new('--session-id', '--session-id', [CompletionResultType]::ParameterName, 'The session the messages are for')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'One message per line of standard input')
            [CompletionResult]::new('--paragraphs', '--paragraphs', [CompletionResultType]::ParameterName, 'One message per paragraph of standard input')
            [CompletionResult]::new('--interrupt', '--interrupt', [CompletionResultType]::ParameterName, 'Ask the agent to stop what it is doing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;escalate' {
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'The SQLite file where runs and decisions are stored')
            [CompletionResult]::new('--tier', '--tier', [CompletionResultType]::ParameterName, 'The command line of a tier, as a shell reads it (repeatable, lowest first)')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'The tiers in a TOML file: `[[tier]]` with command, and name, model, timeout')
            [CompletionResult]::new('--max-tier', '--max-tier', [CompletionResultType]::ParameterName, 'The highest tier that may run [default: `CLAUDEOPS_MAX_TIER`, else all]')
            [CompletionResult]::new('--cooldown', '--cooldown', [CompletionResultType]::ParameterName, 'The time in which actions on a service are counted (0: do not count)')
            [CompletionResult]::new('--cooldown-limit', '--cooldown-limit', [CompletionResultType]::ParameterName, 'So many actions on a service within that time, and nobody escalates')
            [CompletionResult]::new('--handoff', '--handoff', [CompletionResultType]::ParameterName, 'A file in which an agent without structured output asks for the next tier')
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'Begin again after this time, until a signal comes')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The JSON Schema of the agents'' answers [default: that of `wrap --schema`]')
            [CompletionResult]::new('--record-dir', '--record-dir', [CompletionResultType]::ParameterName, 'Keep the record of each run, and its raw stream, in this folder')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End the run after this time (90s, 10m, 1h30m; 0 is never)')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End the run when it has been silent for this time (0 is never)')
            [CompletionResult]::new('--exit-grace', '--exit-grace', [CompletionResultType]::ParameterName, 'End the run when it goes on this long after its result (0 is never)')
            [CompletionResult]::new('--kill-after', '--kill-after', [CompletionResultType]::ParameterName, 'Kill what has not ended this long after being asked to')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Set a variable for the command (repeatable)')
            [CompletionResult]::new('--unset', '--unset', [CompletionResultType]::ParameterName, 'Remove a variable for the command (repeatable)')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Run the command in this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Run the first tier only, and write nothing')
            [CompletionResult]::new('--no-stdin', '--no-stdin', [CompletionResultType]::ParameterName, 'Do not read a prompt for all tiers from standard input')
            [CompletionResult]::new('--strip-auth', '--strip-auth', [CompletionResultType]::ParameterName, 'Remove API keys and base URLs from the command''s environment')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;memories' {
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'The SQLite file of `findings --db` and `escalate`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings raw: `/observation`')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--decay', '--decay', [CompletionResultType]::ParameterName, 'First take 0.1 off the confidence of memories for each full week that they were not updated after 30 days')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;man' {
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;completions' {
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Read every line as this CLI''s instead of recognising it')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that decode large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets before anything is made of a line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors')
            break
        }
        'streamj;help' {
            [CompletionResult]::new('text', 'text', [CompletionResultType]::ParameterValue, 'What the agent said')
            [CompletionResult]::new('tools', 'tools', [CompletionResultType]::ParameterValue, 'Which tools ran, with input, outcome and output')
            [CompletionResult]::new('usage', 'usage', [CompletionResultType]::ParameterValue, 'Tokens, cost and time, of a run or of a whole folder')
            [CompletionResult]::new('error', 'error', [CompletionResultType]::ParameterValue, 'Did it fail, and why: the error with its category')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Every event, tagged with its harness')
            [CompletionResult]::new('session', 'session', [CompletionResultType]::ParameterValue, 'Session id, model, directory, version, tools')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'The whole run as one object')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'The run for a person, live')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Does every line keep the contract of its CLI')
            [CompletionResult]::new('structured', 'structured', [CompletionResultType]::ParameterValue, 'The document the run was asked for, valid or not')
            [CompletionResult]::new('findings', 'findings', [CompletionResultType]::ParameterValue, 'What the agent reports: events, memories, escalation')
            [CompletionResult]::new('wrap', 'wrap', [CompletionResultType]::ParameterValue, 'Run the agent CLI: clocks, a record, nothing left behind')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Words for the agent: stream-json input lines')
            [CompletionResult]::new('escalate', 'escalate', [CompletionResultType]::ParameterValue, 'Agents in tiers: the next one runs when one asks for it')
            [CompletionResult]::new('memories', 'memories', [CompletionResultType]::ParameterValue, 'What agents have learnt, for the next one')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'streamj;help;text' {
            break
        }
        'streamj;help;tools' {
            break
        }
        'streamj;help;usage' {
            break
        }
        'streamj;help;error' {
            break
        }
        'streamj;help;events' {
            break
        }
        'streamj;help;session' {
            break
        }
        'streamj;help;summary' {
            break
        }
        'streamj;help;view' {
            break
        }
        'streamj;help;check' {
            break
        }
        'streamj;help;structured' {
            break
        }
        'streamj;help;findings' {
            break
        }
        'streamj;help;wrap' {
            break
        }
        'streamj;help;prompt' {
            break
        }
        'streamj;help;escalate' {
            break
        }
        'streamj;help;memories' {
            break
        }
        'streamj;help;man' {
            break
        }
        'streamj;help;completions' {
            break
        }
        'streamj;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
