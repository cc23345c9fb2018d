
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
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('text', 'text', [CompletionResultType]::ParameterValue, 'Print the assistant''s text')
            [CompletionResult]::new('tools', 'tools', [CompletionResultType]::ParameterValue, 'Print the tool calls with input, outcome and output')
            [CompletionResult]::new('usage', 'usage', [CompletionResultType]::ParameterValue, 'Print tokens, cost and time of a run or of a folder')
            [CompletionResult]::new('error', 'error', [CompletionResultType]::ParameterValue, 'Print the error of a failed run with its category')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Print every event, tagged with its harness')
            [CompletionResult]::new('session', 'session', [CompletionResultType]::ParameterValue, 'Print session id, model, directory, version, tools')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Print the whole run as one object')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'Show the run for people, live')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check that every line matches its CLI''s format')
            [CompletionResult]::new('structured', 'structured', [CompletionResultType]::ParameterValue, 'Print the document that the run was asked for')
            [CompletionResult]::new('findings', 'findings', [CompletionResultType]::ParameterValue, 'Print what the agent reports: events, memories, escalation')
            [CompletionResult]::new('sessions', 'sessions', [CompletionResultType]::ParameterValue, 'List the sessions on this machine')
            [CompletionResult]::new('grep', 'grep', [CompletionResultType]::ParameterValue, 'Search what was said and done in sessions')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write runs as one HTML file, or as Markdown')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Show sessions in a browser, as they are written')
            [CompletionResult]::new('wrap', 'wrap', [CompletionResultType]::ParameterValue, 'Run an agent with timeouts, a run record and full cleanup')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Print input lines for an agent')
            [CompletionResult]::new('escalate', 'escalate', [CompletionResultType]::ParameterValue, 'Run agents in tiers, the next one on request')
            [CompletionResult]::new('memories', 'memories', [CompletionResultType]::ParameterValue, 'Print observations of earlier runs')
            [CompletionResult]::new('redact', 'redact', [CompletionResultType]::ParameterValue, 'Copy a stream or session without its secrets')
            [CompletionResult]::new('harness', 'harness', [CompletionResultType]::ParameterValue, 'List agent CLIs, or describe one that is not built in')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of an output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'streamj;text' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--last', '--last', [CompletionResultType]::ParameterName, 'Print the final answer only')
            [CompletionResult]::new('--main-only', '--main-only', [CompletionResultType]::ParameterName, 'Omit the text of subagents')
            [CompletionResult]::new('--ci-safe', '--ci-safe', [CompletionResultType]::ParameterName, 'Make the text safe for the log of a CI system')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;tools' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Print calls of tools with this name; * and ? are wildcards (repeatable)')
            [CompletionResult]::new('--max-output', '--max-output', [CompletionResultType]::ParameterName, 'Cut outputs after this many bytes (K, M, G)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--failed', '--failed', [CompletionResultType]::ParameterName, 'Print calls that failed or were denied')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Exit with 1 if a call failed or was denied')
            [CompletionResult]::new('--exit-status', '--exit-status', [CompletionResultType]::ParameterName, 'Exit with 1 if a call failed or was denied')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;usage' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Print one table over all files, with a row for each of these')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Count usage from this day on: 2026-11-01, yesterday, 7d')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Count usage up to the end of this day, or before a time')
            [CompletionResult]::new('--timezone', '--timezone', [CompletionResultType]::ParameterName, 'Use days of this time zone: Europe/Berlin, +05:30')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Count models whose name matches, with or without a date')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'Sort the rows [default: times from the oldest, others from the largest]')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Print the first N rows only; the total is that of all rows')
            [CompletionResult]::new('--cost', '--cost', [CompletionResultType]::ParameterName, 'Costs in tables for people [default: reported, and where missing estimated (~)]')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Estimate the cost from the prices in this file')
            [CompletionResult]::new('--estimate-model', '--estimate-model', [CompletionResultType]::ParameterName, 'Estimate the cost of streams that name no model by the prices of this one')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Draw the rows as bars: tokens, or --plot=cost')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Read the sessions of all agent CLIs on this machine')
            [CompletionResult]::new('--utc', '--utc', [CompletionResultType]::ParameterName, 'Use days of UTC instead of local time')
            [CompletionResult]::new('--breakdown', '--breakdown', [CompletionResultType]::ParameterName, 'Show the models of each row below it; in JSON they are always in `models`')
            [CompletionResult]::new('--no-total', '--no-total', [CompletionResultType]::ParameterName, 'Print no total')
            [CompletionResult]::new('--estimate', '--estimate', [CompletionResultType]::ParameterName, 'Estimate the cost from a price table')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;error' {
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Also exit with 1 if a run that did not fail meets this condition (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Set the exit status by category')
            [CompletionResult]::new('--exit-status', '--exit-status', [CompletionResultType]::ParameterName, 'Set the exit status by category')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not report runs that end with a question or leave subagents running')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;events' {
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Which events get a "harness" member')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member of each event only, strings without quotes: `/type`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--unified', '--unified', [CompletionResultType]::ParameterName, 'Print neutral events instead of the CLI''s own')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;session' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;summary' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not report runs that end with a question or leave subagents running')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;view' {
            [CompletionResult]::new('--width', '--width', [CompletionResultType]::ParameterName, 'Wrap at this column [default: the width of the terminal]')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show inputs, outputs and diffs')
            [CompletionResult]::new('--thinking', '--thinking', [CompletionResultType]::ParameterName, 'Show all reasoning')
            [CompletionResult]::new('--no-thinking', '--no-thinking', [CompletionResultType]::ParameterName, 'Show no reasoning')
            [CompletionResult]::new('--no-markdown', '--no-markdown', [CompletionResultType]::ParameterName, 'Print Markdown unchanged')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use ASCII characters only')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Read on as the file grows')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not report runs that end with a question or leave subagents running')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;check' {
            [CompletionResult]::new('--contract', '--contract', [CompletionResultType]::ParameterName, 'What lines are checked against')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/code`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--members', '--members', [CompletionResultType]::ParameterName, 'Also report members that no known release prints')
            [CompletionResult]::new('--every-line', '--every-line', [CompletionResultType]::ParameterName, 'Also print the lines that match')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;structured' {
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Print it only if it matches this JSON Schema (drafts 4 to 2020-12)')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/escalation/needed`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;findings' {
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'Also store the run in this SQLite file')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--print-schema', '--print-schema', [CompletionResultType]::ParameterName, 'Print the schema of an agent''s response and exit')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;sessions' {
            [CompletionResult]::new('--cli', '--cli', [CompletionResultType]::ParameterName, 'List sessions of this CLI (repeatable)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'List sessions that were used on this day or later: 2026-11-01, yesterday, 7d')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'List sessions that were started by the end of this day, or before a time')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'List sessions with a model of this name; * and ? are wildcards')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'List this many sessions at most')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--failed', '--failed', [CompletionResultType]::ParameterName, 'List sessions that failed or stopped early')
            [CompletionResult]::new('--wide', '--wide', [CompletionResultType]::ParameterName, 'Do not shorten ids, paths and prompts to the width of the terminal')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Also read the sessions of the CLIs on this machine')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;grep' {
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'Search these places only, separated by commas')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Print this many lines of the text before and after a match')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Print this many lines of the text before and after a match')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Search what was said on this day or later: 2026-11-01, yesterday, 7d')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format [default: human on a terminal, else jsonl]')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/session_id`')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Ignore the case of letters')
            [CompletionResult]::new('--ignore-case', '--ignore-case', [CompletionResultType]::ParameterName, 'Ignore the case of letters')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Search for PATTERN as it is, not as a regular expression')
            [CompletionResult]::new('--fixed-strings', '--fixed-strings', [CompletionResultType]::ParameterName, 'Search for PATTERN as it is, not as a regular expression')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Print the sessions that match, not the matches')
            [CompletionResult]::new('--files-with-matches', '--files-with-matches', [CompletionResultType]::ParameterName, 'Print the sessions that match, not the matches')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Print the number of matching lines of each session')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Print the number of matching lines of each session')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Also search the sessions of the CLIs on this machine')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;report' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this file; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file; - is standard output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The kind of document')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;serve' {
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Listen on this port of 127.0.0.1; 0 takes a free one')
            [CompletionResult]::new('--token-file', '--token-file', [CompletionResultType]::ParameterName, 'Read the token from this file, which is created unless it exists')
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'Also show the findings, memories and tiers in this store')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads for large inputs [default: one per core, at most 8]')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Also show the sessions of the CLIs on this machine')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;wrap' {
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'What to print: a reading command with its options, or raw [default: view on a terminal, else text]')
            [CompletionResult]::new('--tee', '--tee', [CompletionResultType]::ParameterName, 'Write the raw stream to a file (-: print it instead of --as)')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Write the summary to a file at the end of the run, however it ends (-: print it instead of --as)')
            [CompletionResult]::new('--serve', '--serve', [CompletionResultType]::ParameterName, 'Show the run in a browser as it is written')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Request a document that matches this JSON Schema, and validate it')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End the run after this time (90s, 10m, 1h30m; 0 is never)')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End the run after this time without output (0 is never)')
            [CompletionResult]::new('--exit-grace', '--exit-grace', [CompletionResultType]::ParameterName, 'End the run this long after its result (0 is never)')
            [CompletionResult]::new('--background-grace', '--background-grace', [CompletionResultType]::ParameterName, 'End the run this long after its result if background tasks are running (0 is never) [default: 10m, never with --exit-grace 0]')
            [CompletionResult]::new('--kill-after', '--kill-after', [CompletionResultType]::ParameterName, 'Kill processes this long after they were asked to end')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'How far to complete the command line')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model for --complete full')
            [CompletionResult]::new('--exit-status', '--exit-status', [CompletionResultType]::ParameterName, 'What the exit status means')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Also exit with 1 if a run that did not fail meets this condition (repeatable)')
            [CompletionResult]::new('--on-closed-stdout', '--on-closed-stdout', [CompletionResultType]::ParameterName, 'What to do when the output is closed [default: continue with --tee or --record, else kill]')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Set a variable for the command (repeatable)')
            [CompletionResult]::new('--unset', '--unset', [CompletionResultType]::ParameterName, 'Remove a variable for the command (repeatable)')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Run the command in this directory')
            [CompletionResult]::new('--subject', '--subject', [CompletionResultType]::ParameterName, 'A label for the notes about credentials')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--with-events', '--with-events', [CompletionResultType]::ParameterName, 'Include the events in the record')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the completed command line and exit')
            [CompletionResult]::new('--no-stdin', '--no-stdin', [CompletionResultType]::ParameterName, 'Give the command no standard input')
            [CompletionResult]::new('--strip-auth', '--strip-auth', [CompletionResultType]::ParameterName, 'Remove API keys and base URLs from the command''s environment')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Do not report runs that end with a question or leave subagents running')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;prompt' {
            [CompletionResult]::new('--image', '--image', [CompletionResultType]::ParameterName, 'Add an image to the first message (repeatable)')
            [CompletionResult]::new('--cancel', '--cancel', [CompletionResultType]::ParameterName, 'Cancel a request')
            [CompletionResult]::new('--request-id', '--request-id', [CompletionResultType]::ParameterName, 'The id of the interrupting request')
            [CompletionResult]::new('--session-id', '--session-id', [CompletionResultType]::ParameterName, 'The session the messages are for')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'Read one message per line of standard input')
            [CompletionResult]::new('--paragraphs', '--paragraphs', [CompletionResultType]::ParameterName, 'Read one message per paragraph of standard input')
            [CompletionResult]::new('--interrupt', '--interrupt', [CompletionResultType]::ParameterName, 'Request the agent to interrupt its turn')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;escalate' {
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'The SQLite file where runs and decisions are stored')
            [CompletionResult]::new('--tier', '--tier', [CompletionResultType]::ParameterName, 'The command line of a tier, quoted as for a shell (repeatable, lowest first)')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A TOML file with the tiers: `[[tier]]` with command, and name, model, timeout')
            [CompletionResult]::new('--max-tier', '--max-tier', [CompletionResultType]::ParameterName, 'The highest tier that may run [default: `CLAUDEOPS_MAX_TIER`, else all]')
            [CompletionResult]::new('--cooldown', '--cooldown', [CompletionResultType]::ParameterName, 'The time over which actions on a service are counted (0: do not count)')
            [CompletionResult]::new('--cooldown-limit', '--cooldown-limit', [CompletionResultType]::ParameterName, 'Do not escalate after this many actions on a service within that time')
            [CompletionResult]::new('--handoff', '--handoff', [CompletionResultType]::ParameterName, 'A file in which an agent without structured output requests the next tier')
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'Start again after this time, until a signal comes')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The JSON Schema of the agents'' answers [default: that of `wrap --schema`]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Show each tier as it runs: a reading command with its options')
            [CompletionResult]::new('--decisions', '--decisions', [CompletionResultType]::ParameterName, 'Write the decisions to this file (-: standard output, the default without --as)')
            [CompletionResult]::new('--record-dir', '--record-dir', [CompletionResultType]::ParameterName, 'Write the record and the raw stream of each run to this directory')
            [CompletionResult]::new('--serve', '--serve', [CompletionResultType]::ParameterName, 'Show all tiers in a browser as they run')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End the run after this time (90s, 10m, 1h30m; 0 is never)')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End the run after this time without output (0 is never)')
            [CompletionResult]::new('--exit-grace', '--exit-grace', [CompletionResultType]::ParameterName, 'End the run this long after its result (0 is never)')
            [CompletionResult]::new('--background-grace', '--background-grace', [CompletionResultType]::ParameterName, 'End the run this long after its result if background tasks are running (0 is never) [default: 10m, never with --exit-grace 0]')
            [CompletionResult]::new('--kill-after', '--kill-after', [CompletionResultType]::ParameterName, 'Kill processes this long after they were asked to end')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Set a variable for the command (repeatable)')
            [CompletionResult]::new('--unset', '--unset', [CompletionResultType]::ParameterName, 'Remove a variable for the command (repeatable)')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Run the command in this directory')
            [CompletionResult]::new('--harness', '--harness', [CompletionResultType]::ParameterName, 'Assume this CLI')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always, never')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Run the first tier only, and write nothing')
            [CompletionResult]::new('--no-stdin', '--no-stdin', [CompletionResultType]::ParameterName, 'Do not read a prompt for all tiers from standard input')
            [CompletionResult]::new('--strip-auth', '--strip-auth', [CompletionResultType]::ParameterName, 'Remove API keys and base URLs from the command''s environment')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 1 if a line was not JSON or too long')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;memories' {
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'The SQLite file of `findings --db` and `escalate`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--get', '--get', [CompletionResultType]::ParameterName, 'Print one member only, strings without quotes: `/observation`')
            [CompletionResult]::new('--decay', '--decay', [CompletionResultType]::ParameterName, 'First reduce the confidence of memories by 0.1 for each full week without an update, after 30 days')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON: the same as --format json')
            [CompletionResult]::new('--csv-safe', '--csv-safe', [CompletionResultType]::ParameterName, 'Write cells of tables that a spreadsheet would compute behind an apostrophe')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;redact' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Consider sessions of this project only; * and ? are wildcards, . is this folder')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Read the description of a CLI that is not built in')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Skip lines longer than this (K, M, G)')
            [CompletionResult]::new('--redact-pattern', '--redact-pattern', [CompletionResultType]::ParameterName, 'Mask what this regular expression matches, too (repeatable; implies --redact)')
            [CompletionResult]::new('--redact-file', '--redact-file', [CompletionResultType]::ParameterName, 'Read such expressions from a file, one per line (repeatable; implies --redact)')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Mask secrets in all output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Suppress notes; print errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;harness' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The `name` that `infer` proposes [default: that of FILE]')
            [CompletionResult]::new('--harness-file', '--harness-file', [CompletionResultType]::ParameterName, 'Also `list` the CLI that this file describes')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;schema' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'streamj;help' {
            [CompletionResult]::new('text', 'text', [CompletionResultType]::ParameterValue, 'Print the assistant''s text')
            [CompletionResult]::new('tools', 'tools', [CompletionResultType]::ParameterValue, 'Print the tool calls with input, outcome and output')
            [CompletionResult]::new('usage', 'usage', [CompletionResultType]::ParameterValue, 'Print tokens, cost and time of a run or of a folder')
            [CompletionResult]::new('error', 'error', [CompletionResultType]::ParameterValue, 'Print the error of a failed run with its category')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Print every event, tagged with its harness')
            [CompletionResult]::new('session', 'session', [CompletionResultType]::ParameterValue, 'Print session id, model, directory, version, tools')
            [CompletionResult]::new('summary', 'summary', [CompletionResultType]::ParameterValue, 'Print the whole run as one object')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'Show the run for people, live')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check that every line matches its CLI''s format')
            [CompletionResult]::new('structured', 'structured', [CompletionResultType]::ParameterValue, 'Print the document that the run was asked for')
            [CompletionResult]::new('findings', 'findings', [CompletionResultType]::ParameterValue, 'Print what the agent reports: events, memories, escalation')
            [CompletionResult]::new('sessions', 'sessions', [CompletionResultType]::ParameterValue, 'List the sessions on this machine')
            [CompletionResult]::new('grep', 'grep', [CompletionResultType]::ParameterValue, 'Search what was said and done in sessions')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write runs as one HTML file, or as Markdown')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Show sessions in a browser, as they are written')
            [CompletionResult]::new('wrap', 'wrap', [CompletionResultType]::ParameterValue, 'Run an agent with timeouts, a run record and full cleanup')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Print input lines for an agent')
            [CompletionResult]::new('escalate', 'escalate', [CompletionResultType]::ParameterValue, 'Run agents in tiers, the next one on request')
            [CompletionResult]::new('memories', 'memories', [CompletionResultType]::ParameterValue, 'Print observations of earlier runs')
            [CompletionResult]::new('redact', 'redact', [CompletionResultType]::ParameterValue, 'Copy a stream or session without its secrets')
            [CompletionResult]::new('harness', 'harness', [CompletionResultType]::ParameterValue, 'List agent CLIs, or describe one that is not built in')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of an output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page')
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
        'streamj;help;sessions' {
            break
        }
        'streamj;help;grep' {
            break
        }
        'streamj;help;report' {
            break
        }
        'streamj;help;serve' {
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
        'streamj;help;redact' {
            break
        }
        'streamj;help;harness' {
            break
        }
        'streamj;help;completions' {
            break
        }
        'streamj;help;schema' {
            break
        }
        'streamj;help;man' {
            break
        }
        'streamj;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
