
use builtin;
use str;

set edit:completion:arg-completer[streamj] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'streamj'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'streamj'= {
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand text 'Print the assistant''s text'
            cand tools 'Print the tool calls with input, outcome and output'
            cand usage 'Print tokens, cost and time of a run or of a folder'
            cand error 'Print the error of a failed run with its category'
            cand events 'Print every event, tagged with its harness'
            cand session 'Print session id, model, directory, version, tools'
            cand summary 'Print the whole run as one object'
            cand view 'Show the run for people, live'
            cand check 'Check that every line matches its CLI''s format'
            cand structured 'Print the document that the run was asked for'
            cand findings 'Print what the agent reports: events, memories, escalation'
            cand wrap 'Run an agent with timeouts, a run record and full cleanup'
            cand prompt 'Print input lines for an agent'
            cand escalate 'Run agents in tiers, the next one on request'
            cand memories 'Print observations of earlier runs'
            cand redact 'Copy a stream or session without its secrets'
            cand completions 'Print a completion script for a shell'
            cand schema 'Print the JSON Schema of an output'
            cand man 'Print a man page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'streamj;text'= {
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --last 'Print the final answer only'
            cand --main-only 'Omit the text of subagents'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;tools'= {
            cand --name 'Print calls of tools with this name; * and ? are wildcards (repeatable)'
            cand --max-output 'Cut outputs after this many bytes (K, M, G)'
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings without quotes: `/session_id`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --failed 'Print calls that failed or were denied'
            cand -e 'Exit with 1 if a call failed or was denied'
            cand --exit-status 'Exit with 1 if a call failed or was denied'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;usage'= {
            cand --by 'Print one table over all files, with a row for each of these'
            cand --since 'Count usage from this day on: 2026-11-01, yesterday, 7d'
            cand --until 'Count usage up to the end of this day, or before a time'
            cand --prices 'Estimate the cost from the prices in this file'
            cand --plot 'Draw the rows as bars: tokens, or --plot=cost'
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings without quotes: `/session_id`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --home 'Read the sessions of Claude Code and Codex on this machine'
            cand --utc 'Use days of UTC instead of local time'
            cand --estimate 'Estimate the cost from a price table'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;error'= {
            cand --fail-on 'Also exit with 1 if a run that did not fail meets this condition (repeatable)'
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings without quotes: `/session_id`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand -e 'Set the exit status by category'
            cand --exit-status 'Set the exit status by category'
            cand --no-heuristics 'Do not report runs that end with a question or leave subagents running'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;events'= {
            cand --tag 'Which events get a "harness" member'
            cand --format 'Output format'
            cand --get 'Print one member of each event only, strings without quotes: `/type`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --unified 'Print neutral events instead of the CLI''s own'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;session'= {
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings without quotes: `/session_id`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;summary'= {
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings without quotes: `/session_id`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --no-heuristics 'Do not report runs that end with a question or leave subagents running'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;view'= {
            cand --width 'Wrap at this column [default: the width of the terminal]'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --full 'Show inputs, outputs and diffs'
            cand --thinking 'Show all reasoning'
            cand --no-thinking 'Show no reasoning'
            cand --no-markdown 'Print Markdown unchanged'
            cand --ascii 'Use ASCII characters only'
            cand --follow 'Read on as the file grows'
            cand --no-heuristics 'Do not report runs that end with a question or leave subagents running'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;check'= {
            cand --contract 'What lines are checked against'
            cand --format 'Output format'
            cand --get 'Print one member only, strings without quotes: `/code`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --members 'Also report members that no known release prints'
            cand --every-line 'Also print the lines that match'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;structured'= {
            cand --schema 'Print it only if it matches this JSON Schema (drafts 4 to 2020-12)'
            cand --get 'Print one member only, strings without quotes: `/escalation/needed`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;findings'= {
            cand --db 'Also store the run in this SQLite file'
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings without quotes: `/session_id`'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads for large inputs [default: one per core, at most 8]'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --print-schema 'Print the schema of an agent''s response and exit'
            cand --json 'Print JSON: the same as --format json'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;wrap'= {
            cand --as 'What to print: a reading command with its options, or raw [default: view on a terminal, else text]'
            cand --tee 'Write the raw stream to a file (-: print it instead of --as)'
            cand --record 'Write the summary to a file at the end of the run, however it ends (-: print it instead of --as)'
            cand --schema 'Request a document that matches this JSON Schema, and validate it'
            cand --timeout 'End the run after this time (90s, 10m, 1h30m; 0 is never)'
            cand --idle-timeout 'End the run after this time without output (0 is never)'
            cand --exit-grace 'End the run this long after its result (0 is never)'
            cand --background-grace 'End the run this long after its result if background tasks are running (0 is never) [default: 10m, never with --exit-grace 0]'
            cand --kill-after 'Kill processes this long after they were asked to end'
            cand --complete 'How far to complete the command line'
            cand --model 'The model for --complete full'
            cand --exit-status 'What the exit status means'
            cand --fail-on 'Also exit with 1 if a run that did not fail meets this condition (repeatable)'
            cand --on-closed-stdout 'What to do when the output is closed [default: continue with --tee or --record, else kill]'
            cand --env 'Set a variable for the command (repeatable)'
            cand --unset 'Remove a variable for the command (repeatable)'
            cand --cwd 'Run the command in this directory'
            cand --subject 'A label for the notes about credentials'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --with-events 'Include the events in the record'
            cand --dry-run 'Print the completed command line and exit'
            cand --no-stdin 'Give the command no standard input'
            cand --strip-auth 'Remove API keys and base URLs from the command''s environment'
            cand --no-heuristics 'Do not report runs that end with a question or leave subagents running'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;prompt'= {
            cand --image 'Add an image to the first message (repeatable)'
            cand --cancel 'Cancel a request'
            cand --request-id 'The id of the interrupting request'
            cand --session-id 'The session the messages are for'
            cand --lines 'Read one message per line of standard input'
            cand --paragraphs 'Read one message per paragraph of standard input'
            cand --interrupt 'Request the agent to interrupt its turn'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;escalate'= {
            cand --db 'The SQLite file where runs and decisions are stored'
            cand --tier 'The command line of a tier, quoted as for a shell (repeatable, lowest first)'
            cand --config 'A TOML file with the tiers: `[[tier]]` with command, and name, model, timeout'
            cand --max-tier 'The highest tier that may run [default: `CLAUDEOPS_MAX_TIER`, else all]'
            cand --cooldown 'The time over which actions on a service are counted (0: do not count)'
            cand --cooldown-limit 'Do not escalate after this many actions on a service within that time'
            cand --handoff 'A file in which an agent without structured output requests the next tier'
            cand --every 'Start again after this time, until a signal comes'
            cand --schema 'The JSON Schema of the agents'' answers [default: that of `wrap --schema`]'
            cand --as 'Show each tier as it runs: a reading command with its options'
            cand --decisions 'Write the decisions to this file (-: standard output, the default without --as)'
            cand --record-dir 'Write the record and the raw stream of each run to this directory'
            cand --timeout 'End the run after this time (90s, 10m, 1h30m; 0 is never)'
            cand --idle-timeout 'End the run after this time without output (0 is never)'
            cand --exit-grace 'End the run this long after its result (0 is never)'
            cand --background-grace 'End the run this long after its result if background tasks are running (0 is never) [default: 10m, never with --exit-grace 0]'
            cand --kill-after 'Kill processes this long after they were asked to end'
            cand --env 'Set a variable for the command (repeatable)'
            cand --unset 'Remove a variable for the command (repeatable)'
            cand --cwd 'Run the command in this directory'
            cand --harness 'Assume this CLI'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --color 'Use colour: auto, always, never'
            cand --dry-run 'Run the first tier only, and write nothing'
            cand --no-stdin 'Do not read a prompt for all tiers from standard input'
            cand --strip-auth 'Remove API keys and base URLs from the command''s environment'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;memories'= {
            cand --db 'The SQLite file of `findings --db` and `escalate`'
            cand --format 'Output format'
            cand --get 'Print one member only, strings without quotes: `/observation`'
            cand --decay 'First reduce the confidence of memories by 0.1 for each full week without an update, after 30 days'
            cand --json 'Print JSON: the same as --format json'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;redact'= {
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --redact-pattern 'Mask what this regular expression matches, too (repeatable; implies --redact)'
            cand --redact-file 'Read such expressions from a file, one per line (repeatable; implies --redact)'
            cand --redact 'Mask secrets in all output'
            cand -q 'Suppress notes; print errors only'
            cand --quiet 'Suppress notes; print errors only'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;schema'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'streamj;help'= {
            cand text 'Print the assistant''s text'
            cand tools 'Print the tool calls with input, outcome and output'
            cand usage 'Print tokens, cost and time of a run or of a folder'
            cand error 'Print the error of a failed run with its category'
            cand events 'Print every event, tagged with its harness'
            cand session 'Print session id, model, directory, version, tools'
            cand summary 'Print the whole run as one object'
            cand view 'Show the run for people, live'
            cand check 'Check that every line matches its CLI''s format'
            cand structured 'Print the document that the run was asked for'
            cand findings 'Print what the agent reports: events, memories, escalation'
            cand wrap 'Run an agent with timeouts, a run record and full cleanup'
            cand prompt 'Print input lines for an agent'
            cand escalate 'Run agents in tiers, the next one on request'
            cand memories 'Print observations of earlier runs'
            cand redact 'Copy a stream or session without its secrets'
            cand completions 'Print a completion script for a shell'
            cand schema 'Print the JSON Schema of an output'
            cand man 'Print a man page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'streamj;help;text'= {
        }
        &'streamj;help;tools'= {
        }
        &'streamj;help;usage'= {
        }
        &'streamj;help;error'= {
        }
        &'streamj;help;events'= {
        }
        &'streamj;help;session'= {
        }
        &'streamj;help;summary'= {
        }
        &'streamj;help;view'= {
        }
        &'streamj;help;check'= {
        }
        &'streamj;help;structured'= {
        }
        &'streamj;help;findings'= {
        }
        &'streamj;help;wrap'= {
        }
        &'streamj;help;prompt'= {
        }
        &'streamj;help;escalate'= {
        }
        &'streamj;help;memories'= {
        }
        &'streamj;help;redact'= {
        }
        &'streamj;help;completions'= {
        }
        &'streamj;help;schema'= {
        }
        &'streamj;help;man'= {
        }
        &'streamj;help;help'= {
        }
    ]
    $completions[$command]
}
