
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
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand text 'What the agent said'
            cand tools 'Which tools ran, with input, outcome and output'
            cand usage 'Tokens, cost and time, of a run or of a whole folder'
            cand error 'Did it fail, and why: the error with its category'
            cand events 'Every event, tagged with its harness'
            cand session 'Session id, model, directory, version, tools'
            cand summary 'The whole run as one object'
            cand view 'The run for a person, live'
            cand check 'Does every line keep the contract of its CLI'
            cand structured 'The document the run was asked for, valid or not'
            cand findings 'What the agent reports: events, memories, escalation'
            cand wrap 'Run the agent CLI: clocks, a record, nothing left behind'
            cand prompt 'Words for the agent: stream-json input lines'
            cand escalate 'Agents in tiers: the next one runs when one asks for it'
            cand memories 'What agents have learnt, for the next one'
            cand man 'Print a man page'
            cand completions 'Print a shell completion script'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'streamj;text'= {
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --last 'Only the final answer'
            cand --main-only 'Without the words of subagents'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;tools'= {
            cand --name 'Only tools with this name; * and ? are wildcards (repeatable)'
            cand --max-output 'Cut outputs after this many bytes (K, M, G)'
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings raw: `/session_id`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --failed 'Only calls that failed or were denied'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;usage'= {
            cand --by 'One table over all files, with a row for each of these'
            cand --since 'Only what was used from this day on: 2026-11-01, yesterday, 7d'
            cand --until 'Only what was used up to this day, the day included; or before a time'
            cand --prices 'Estimate by the prices in this file'
            cand --plot 'Draw the rows as bars: tokens, or --plot=cost'
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings raw: `/session_id`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --home 'Read what Claude Code and Codex keep on this machine'
            cand --utc 'Days of UTC instead of local time'
            cand --estimate 'Estimate the cost by the prices of the tokens'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;error'= {
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings raw: `/session_id`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand -e 'Let the exit status tell the category'
            cand --exit-status 'Let the exit status tell the category'
            cand --no-heuristics 'Do not guess at runs that asked a question or left work behind'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;events'= {
            cand --tag 'Which events get a "harness" member'
            cand --format 'Output format'
            cand --get 'Print one member of each event only, strings raw: `/type`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --unified 'Print the harness-neutral events instead of the CLI''s own'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;session'= {
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings raw: `/session_id`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;summary'= {
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings raw: `/session_id`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --no-heuristics 'Do not guess at runs that asked a question or left work behind'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;view'= {
            cand --width 'Wrap at this column [default: that of the terminal]'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --full 'Show inputs, outputs and diffs'
            cand --thinking 'Show all of the thinking'
            cand --no-thinking 'Show none of the thinking'
            cand --no-markdown 'Leave Markdown as it is'
            cand --ascii 'Signs from ASCII only'
            cand --follow 'Go on reading a file that grows'
            cand --no-heuristics 'Do not guess at runs that asked a question or left work behind'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;check'= {
            cand --contract 'What lines must keep'
            cand --format 'Output format'
            cand --get 'Print one member only, strings raw: `/code`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --every-line 'Also print the lines that are right'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;structured'= {
            cand --schema 'Print it only if it keeps this JSON Schema (drafts 4 to 2020-12)'
            cand --get 'Print one member only, strings raw: `/escalation/needed`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;findings'= {
            cand --db 'Also store the run in this SQLite file'
            cand --format 'Output format [default: human on a terminal, else jsonl]'
            cand --get 'Print one member only, strings raw: `/session_id`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --print-schema 'Print the schema of an agent''s response and exit'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;wrap'= {
            cand --as 'What to print: a reading command with its options, or raw [default: view on a terminal, else text]'
            cand --tee 'Keep the raw stream in a file'
            cand --record 'Write the summary to a file when the run is over, however it ends'
            cand --schema 'Ask the agent for a document of this JSON Schema, and check it'
            cand --timeout 'End the run after this time (90s, 10m, 1h30m; 0 is never)'
            cand --idle-timeout 'End the run when it has been silent for this time (0 is never)'
            cand --exit-grace 'End the run when it goes on this long after its result (0 is never)'
            cand --kill-after 'Kill what has not ended this long after being asked to'
            cand --complete 'How far to complete the command line'
            cand --model 'The model for --complete full'
            cand --exit-status 'What the exit status tells'
            cand --on-closed-stdout 'When nobody reads the output [default: continue with --tee or --record, else kill]'
            cand --env 'Set a variable for the command (repeatable)'
            cand --unset 'Remove a variable for the command (repeatable)'
            cand --cwd 'Run the command in this folder'
            cand --subject 'A label for the lines about credentials'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --with-events 'Put the events into the record, too'
            cand --dry-run 'Print the completed command line and exit'
            cand --no-stdin 'Give the command no standard input'
            cand --strip-auth 'Remove API keys and base URLs from the command''s environment'
            cand --no-heuristics 'Do not guess at runs that asked a question or left work behind'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;prompt'= {
            cand --image 'Add an image to the first message (repeatable)'
            cand --cancel 'Withdraw a request'
            cand --request-id 'The id of the interrupting request'
            cand --session-id 'The session the messages are for'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --lines 'One message per line of standard input'
            cand --paragraphs 'One message per paragraph of standard input'
            cand --interrupt 'Ask the agent to stop what it is doing'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;escalate'= {
            cand --db 'The SQLite file where runs and decisions are stored'
            cand --tier 'The command line of a tier, as a shell reads it (repeatable, lowest first)'
            cand --config 'The tiers in a TOML file: `[[tier]]` with command, and name, model, timeout'
            cand --max-tier 'The highest tier that may run [default: `CLAUDEOPS_MAX_TIER`, else all]'
            cand --cooldown 'The time in which actions on a service are counted (0: do not count)'
            cand --cooldown-limit 'So many actions on a service within that time, and nobody escalates'
            cand --handoff 'A file in which an agent without structured output asks for the next tier'
            cand --every 'Begin again after this time, until a signal comes'
            cand --schema 'The JSON Schema of the agents'' answers [default: that of `wrap --schema`]'
            cand --record-dir 'Keep the record of each run, and its raw stream, in this folder'
            cand --timeout 'End the run after this time (90s, 10m, 1h30m; 0 is never)'
            cand --idle-timeout 'End the run when it has been silent for this time (0 is never)'
            cand --exit-grace 'End the run when it goes on this long after its result (0 is never)'
            cand --kill-after 'Kill what has not ended this long after being asked to'
            cand --env 'Set a variable for the command (repeatable)'
            cand --unset 'Remove a variable for the command (repeatable)'
            cand --cwd 'Run the command in this folder'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --dry-run 'Run the first tier only, and write nothing'
            cand --no-stdin 'Do not read a prompt for all tiers from standard input'
            cand --strip-auth 'Remove API keys and base URLs from the command''s environment'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;memories'= {
            cand --db 'The SQLite file of `findings --db` and `escalate`'
            cand --format 'Output format'
            cand --get 'Print one member only, strings raw: `/observation`'
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand --decay 'First take 0.1 off the confidence of memories for each full week that they were not updated after 30 days'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;man'= {
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;completions'= {
            cand --harness 'Read every line as this CLI''s instead of recognising it'
            cand --max-line 'Skip lines longer than this (K, M, G)'
            cand --threads 'Threads that decode large inputs [default: one per core, at most 8]'
            cand --color 'When to use colour'
            cand -h 'Print help'
            cand --help 'Print help'
            cand --strict 'Exit with 1 if a line was not JSON or too long'
            cand --redact 'Mask secrets before anything is made of a line'
            cand -q 'Say nothing on standard error but errors'
            cand --quiet 'Say nothing on standard error but errors'
        }
        &'streamj;help'= {
            cand text 'What the agent said'
            cand tools 'Which tools ran, with input, outcome and output'
            cand usage 'Tokens, cost and time, of a run or of a whole folder'
            cand error 'Did it fail, and why: the error with its category'
            cand events 'Every event, tagged with its harness'
            cand session 'Session id, model, directory, version, tools'
            cand summary 'The whole run as one object'
            cand view 'The run for a person, live'
            cand check 'Does every line keep the contract of its CLI'
            cand structured 'The document the run was asked for, valid or not'
            cand findings 'What the agent reports: events, memories, escalation'
            cand wrap 'Run the agent CLI: clocks, a record, nothing left behind'
            cand prompt 'Words for the agent: stream-json input lines'
            cand escalate 'Agents in tiers: the next one runs when one asks for it'
            cand memories 'What agents have learnt, for the next one'
            cand man 'Print a man page'
            cand completions 'Print a shell completion script'
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
        &'streamj;help;man'= {
        }
        &'streamj;help;completions'= {
        }
        &'streamj;help;help'= {
        }
    ]
    $completions[$command]
}
