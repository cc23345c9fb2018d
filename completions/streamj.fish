# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_streamj_global_optspecs
    string join \n harness= max-line= threads= strict redact redact-pattern= redact-file= q/quiet color= h/help V/version
end

function __fish_streamj_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_streamj_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_streamj_using_subcommand
    set -l cmd (__fish_streamj_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c streamj -n "__fish_streamj_needs_command" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_needs_command" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_needs_command" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_needs_command" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_needs_command" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_needs_command" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_needs_command" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_needs_command" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_needs_command" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_needs_command" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_needs_command" -s V -l version -d 'Print version'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "text" -d 'Print the assistant\'s text'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "tools" -d 'Print the tool calls with input, outcome and output'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "usage" -d 'Print tokens, cost and time of a run or of a folder'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "error" -d 'Print the error of a failed run with its category'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "events" -d 'Print every event, tagged with its harness'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "session" -d 'Print session id, model, directory, version, tools'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "summary" -d 'Print the whole run as one object'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "view" -d 'Show the run for people, live'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "check" -d 'Check that every line matches its CLI\'s format'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "structured" -d 'Print the document that the run was asked for'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "findings" -d 'Print what the agent reports: events, memories, escalation'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "wrap" -d 'Run an agent with timeouts, a run record and full cleanup'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "prompt" -d 'Print input lines for an agent'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "escalate" -d 'Run agents in tiers, the next one on request'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "memories" -d 'Print observations of earlier runs'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "redact" -d 'Copy a stream or session without its secrets'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "schema" -d 'Print the JSON Schema of an output'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "man" -d 'Print a man page'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand text" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand text" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand text" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand text" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand text" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand text" -l last -d 'Print the final answer only'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l main-only -d 'Omit the text of subagents'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand text" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand text" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l name -d 'Print calls of tools with this name; * and ? are wildcards (repeatable)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l max-output -d 'Cut outputs after this many bytes (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l failed -d 'Print calls that failed or were denied'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -s e -l exit-status -d 'Exit with 1 if a call failed or was denied'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l by -d 'Print one table over all files, with a row for each of these' -r -f -a "session\t'The session, its subagents included'
day\t'The day'
month\t'The month'
model\t'The model'
project\t'The folder the agent worked in'
harness\t'The agent CLI'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l since -d 'Count usage from this day on: 2026-11-01, yesterday, 7d' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l until -d 'Count usage up to the end of this day, or before a time' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l prices -d 'Estimate the cost from the prices in this file' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l plot -d 'Draw the rows as bars: tokens, or --plot=cost' -r -f -a "tokens\t'Tokens'
cost\t'The reported cost, or its estimate'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l home -d 'Read the sessions of Claude Code and Codex on this machine'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l utc -d 'Use days of UTC instead of local time'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l estimate -d 'Estimate the cost from a price table'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand error" -l fail-on -d 'Also exit with 1 if a run that did not fail meets this condition (repeatable)' -r -f -a "denied\t'A tool call was denied'
tool-failure\t'A tool call failed'
warning\t'The run has a warning'"
complete -c streamj -n "__fish_streamj_using_subcommand error" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand error" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand error" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand error" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand error" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand error" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand error" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand error" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand error" -s e -l exit-status -d 'Set the exit status by category'
complete -c streamj -n "__fish_streamj_using_subcommand error" -l no-heuristics -d 'Do not report runs that end with a question or leave subagents running'
complete -c streamj -n "__fish_streamj_using_subcommand error" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand error" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand error" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand error" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand error" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand events" -l tag -d 'Which events get a "harness" member' -r -f -a "all\t'Every event'
codex\t'Events of Codex, as its contract asks for'
none\t'No event'"
complete -c streamj -n "__fish_streamj_using_subcommand events" -l format -d 'Output format' -r -f -a "json\t'One document per run'
jsonl\t'One line per row'
sse\t'Server-sent events for a browser'"
complete -c streamj -n "__fish_streamj_using_subcommand events" -l get -d 'Print one member of each event only, strings without quotes: `/type`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand events" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand events" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand events" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand events" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand events" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand events" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand events" -l unified -d 'Print neutral events instead of the CLI\'s own'
complete -c streamj -n "__fish_streamj_using_subcommand events" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand events" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand events" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand events" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand events" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand session" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand session" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand session" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand session" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand session" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand session" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand session" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand session" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand session" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand session" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand session" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand session" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand session" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l no-heuristics -d 'Do not report runs that end with a question or leave subagents running'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l width -d 'Wrap at this column [default: the width of the terminal]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand view" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand view" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand view" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand view" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand view" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand view" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand view" -l full -d 'Show inputs, outputs and diffs'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l thinking -d 'Show all reasoning'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l no-thinking -d 'Show no reasoning'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l no-markdown -d 'Print Markdown unchanged'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l ascii -d 'Use ASCII characters only'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l follow -d 'Read on as the file grows'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l no-heuristics -d 'Do not report runs that end with a question or leave subagents running'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand view" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand view" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand check" -l contract -d 'What lines are checked against' -r -f -a "v1\t'The published contract'
current\t'What the known releases print, and nothing else'"
complete -c streamj -n "__fish_streamj_using_subcommand check" -l format -d 'Output format' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand check" -l get -d 'Print one member only, strings without quotes: `/code`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand check" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand check" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand check" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand check" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand check" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand check" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand check" -l members -d 'Also report members that no known release prints'
complete -c streamj -n "__fish_streamj_using_subcommand check" -l every-line -d 'Also print the lines that match'
complete -c streamj -n "__fish_streamj_using_subcommand check" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand check" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand check" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand check" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand check" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l schema -d 'Print it only if it matches this JSON Schema (drafts 4 to 2020-12)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l get -d 'Print one member only, strings without quotes: `/escalation/needed`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l db -d 'Also store the run in this SQLite file' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l print-schema -d 'Print the schema of an agent\'s response and exit'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l as -d 'What to print: a reading command with its options, or raw [default: view on a terminal, else text]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l tee -d 'Write the raw stream to a file (-: print it instead of --as)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l record -d 'Write the summary to a file at the end of the run, however it ends (-: print it instead of --as)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l schema -d 'Request a document that matches this JSON Schema, and validate it' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l timeout -d 'End the run after this time (90s, 10m, 1h30m; 0 is never)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l idle-timeout -d 'End the run after this time without output (0 is never)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l exit-grace -d 'End the run this long after its result (0 is never)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l background-grace -d 'End the run this long after its result if background tasks are running (0 is never) [default: 10m, never with --exit-grace 0]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l kill-after -d 'Kill processes this long after they were asked to end' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l complete -d 'How far to complete the command line' -r -f -a "stream\t'Add what makes the CLI print events'
full\t'Use exactly the arguments of the Codex contract (needs --model)'
none\t'Leave it alone'"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l model -d 'The model for --complete full' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l exit-status -d 'What the exit status means' -r -f -a "auto\t'The command\'s own; 1 if that is 0 and the run failed or did not finish'
child\t'The command\'s own'
category\t'The category of the failure, as for `error -e`'"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l fail-on -d 'Also exit with 1 if a run that did not fail meets this condition (repeatable)' -r -f -a "denied\t'A tool call was denied'
tool-failure\t'A tool call failed'
warning\t'The run has a warning'"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l on-closed-stdout -d 'What to do when the output is closed [default: continue with --tee or --record, else kill]' -r -f -a "kill\t'End the run'
continue\t'Go on'"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l env -d 'Set a variable for the command (repeatable)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l unset -d 'Remove a variable for the command (repeatable)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l cwd -d 'Run the command in this directory' -r -f -a "(__fish_complete_directories)"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l subject -d 'A label for the notes about credentials' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l with-events -d 'Include the events in the record'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l dry-run -d 'Print the completed command line and exit'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l no-stdin -d 'Give the command no standard input'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l strip-auth -d 'Remove API keys and base URLs from the command\'s environment'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l no-heuristics -d 'Do not report runs that end with a question or leave subagents running'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -l image -d 'Add an image to the first message (repeatable)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -l cancel -d 'Cancel a request' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -l request-id -d 'The id of the interrupting request' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -l session-id -d 'The session the messages are for' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -l lines -d 'Read one message per line of standard input'
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -l paragraphs -d 'Read one message per paragraph of standard input'
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -l interrupt -d 'Request the agent to interrupt its turn'
complete -c streamj -n "__fish_streamj_using_subcommand prompt" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l db -d 'The SQLite file where runs and decisions are stored' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l tier -d 'The command line of a tier, quoted as for a shell (repeatable, lowest first)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l config -d 'A TOML file with the tiers: `[[tier]]` with command, and name, model, timeout' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l max-tier -d 'The highest tier that may run [default: `CLAUDEOPS_MAX_TIER`, else all]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l cooldown -d 'The time over which actions on a service are counted (0: do not count)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l cooldown-limit -d 'Do not escalate after this many actions on a service within that time' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l handoff -d 'A file in which an agent without structured output requests the next tier' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l every -d 'Start again after this time, until a signal comes' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l schema -d 'The JSON Schema of the agents\' answers [default: that of `wrap --schema`]' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l as -d 'Show each tier as it runs: a reading command with its options' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l decisions -d 'Write the decisions to this file (-: standard output, the default without --as)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l record-dir -d 'Write the record and the raw stream of each run to this directory' -r -f -a "(__fish_complete_directories)"
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l timeout -d 'End the run after this time (90s, 10m, 1h30m; 0 is never)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l idle-timeout -d 'End the run after this time without output (0 is never)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l exit-grace -d 'End the run this long after its result (0 is never)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l background-grace -d 'End the run this long after its result if background tasks are running (0 is never) [default: 10m, never with --exit-grace 0]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l kill-after -d 'Kill processes this long after they were asked to end' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l env -d 'Set a variable for the command (repeatable)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l unset -d 'Remove a variable for the command (repeatable)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l cwd -d 'Run the command in this directory' -r -f -a "(__fish_complete_directories)"
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''"
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l dry-run -d 'Run the first tier only, and write nothing'
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l no-stdin -d 'Do not read a prompt for all tiers from standard input'
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l strip-auth -d 'Remove API keys and base URLs from the command\'s environment'
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand memories" -l db -d 'The SQLite file of `findings --db` and `escalate`' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand memories" -l format -d 'Output format' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand memories" -l get -d 'Print one member only, strings without quotes: `/observation`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand memories" -l decay -d 'First reduce the confidence of memories by 0.1 for each full week without an update, after 30 days'
complete -c streamj -n "__fish_streamj_using_subcommand memories" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand memories" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand memories" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand redact" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand redact" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand completions" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand schema" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand man" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "text" -d 'Print the assistant\'s text'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "tools" -d 'Print the tool calls with input, outcome and output'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "usage" -d 'Print tokens, cost and time of a run or of a folder'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "error" -d 'Print the error of a failed run with its category'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "events" -d 'Print every event, tagged with its harness'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "session" -d 'Print session id, model, directory, version, tools'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "summary" -d 'Print the whole run as one object'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "view" -d 'Show the run for people, live'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "check" -d 'Check that every line matches its CLI\'s format'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "structured" -d 'Print the document that the run was asked for'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "findings" -d 'Print what the agent reports: events, memories, escalation'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "wrap" -d 'Run an agent with timeouts, a run record and full cleanup'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "prompt" -d 'Print input lines for an agent'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "escalate" -d 'Run agents in tiers, the next one on request'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "memories" -d 'Print observations of earlier runs'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "redact" -d 'Copy a stream or session without its secrets'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "schema" -d 'Print the JSON Schema of an output'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "man" -d 'Print a man page'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings wrap prompt escalate memories redact completions schema man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
