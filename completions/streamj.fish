# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_streamj_global_optspecs
    string join \n harness= harness-file= max-line= threads= strict redact redact-pattern= redact-file= csv-safe q/quiet color= h/help V/version
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
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_needs_command" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_needs_command" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_needs_command" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_needs_command" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_needs_command" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_needs_command" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_needs_command" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_needs_command" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_needs_command" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
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
complete -c streamj -n "__fish_streamj_needs_command" -f -a "sessions" -d 'List the sessions on this machine'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "grep" -d 'Search what was said and done in sessions'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "report" -d 'Write runs as one HTML file, or as Markdown'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "serve" -d 'Show sessions in a browser, as they are written'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "wrap" -d 'Run an agent with timeouts, a run record and full cleanup'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "prompt" -d 'Print input lines for an agent'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "escalate" -d 'Run agents in tiers, the next one on request'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "memories" -d 'Print observations of earlier runs'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "redact" -d 'Copy a stream or session without its secrets'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "harness" -d 'List agent CLIs, or describe one that is not built in'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "schema" -d 'Print the JSON Schema of an output'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "man" -d 'Print a man page'
complete -c streamj -n "__fish_streamj_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand text" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand text" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand text" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand text" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand text" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand text" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand text" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand text" -l last -d 'Print the final answer only'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l main-only -d 'Omit the text of subagents'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l ci-safe -d 'Make the text safe for the log of a CI system'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand text" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
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
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand tools" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand tools" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l by -d 'Print one table over all files, with a row for each of these' -r -f -a "session\t'The session, its subagents included'
day\t'The day'
week\t'The week, from Monday (ISO 8601)'
month\t'The month'
block\t'A window of five hours, from the full hour before its first request'
model\t'The model'
project\t'The folder the agent worked in'
harness\t'The agent CLI'
request\t'Each request, with a key that is the same on every machine'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l since -d 'Count usage from this day on: 2026-11-01, yesterday, 7d' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l until -d 'Count usage up to the end of this day, or before a time' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l timezone -d 'Use days of this time zone: Europe/Berlin, +05:30' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l model -d 'Count models whose name matches, with or without a date' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l order -d 'Sort the rows [default: times from the oldest, others from the largest]' -r -f -a "asc\t'Oldest or smallest first'
desc\t'Newest or largest first'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l limit -d 'Print the first N rows only; the total is that of all rows' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l cost -d 'Costs in tables for people [default: reported, and where missing estimated (~)]' -r -f -a "reported\t'Those that the CLIs report'
estimated\t'The estimated cost of all tokens'
both\t'Both, in two columns'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l prices -d 'Estimate the cost from the prices in this file' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l estimate-model -d 'Estimate the cost of streams that name no model by the prices of this one' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l plot -d 'Draw the rows as bars: tokens, or --plot=cost' -r -f -a "tokens\t'Tokens'
cost\t'The reported cost, or its estimate'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l home -d 'Read the sessions of all agent CLIs on this machine'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l utc -d 'Use days of UTC instead of local time'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l breakdown -d 'Show the models of each row below it; in JSON they are always in `models`'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l no-total -d 'Print no total'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l estimate -d 'Estimate the cost from a price table'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand usage" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
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
complete -c streamj -n "__fish_streamj_using_subcommand error" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand error" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand error" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand error" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand error" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand error" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand events" -l tag -d 'Which events get a "harness" member' -r -f -a "all\t'Every event'
codex\t'Events of Codex, as its contract asks for'
none\t'No event'"
complete -c streamj -n "__fish_streamj_using_subcommand events" -l format -d 'Output format' -r -f -a "json\t'One document per run'
jsonl\t'One line per row'
sse\t'Server-sent events for a browser'"
complete -c streamj -n "__fish_streamj_using_subcommand events" -l get -d 'Print one member of each event only, strings without quotes: `/type`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand events" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand events" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand events" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand events" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand events" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand events" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand session" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand session" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand session" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand session" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand session" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand session" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand session" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand session" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand summary" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand summary" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand view" -l width -d 'Wrap at this column [default: the width of the terminal]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand view" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand view" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand view" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand view" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
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
complete -c streamj -n "__fish_streamj_using_subcommand check" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand check" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand check" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand check" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand check" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand check" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l schema -d 'Print it only if it matches this JSON Schema (drafts 4 to 2020-12)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l get -d 'Print one member only, strings without quotes: `/escalation/needed`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand structured" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l db -d 'Also store the run in this SQLite file' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand findings" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand findings" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l cli -d 'List sessions of this CLI (repeatable)' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l since -d 'List sessions that were used on this day or later: 2026-11-01, yesterday, 7d' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l until -d 'List sessions that were started by the end of this day, or before a time' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l model -d 'List sessions with a model of this name; * and ? are wildcards' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l limit -d 'List this many sessions at most' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l failed -d 'List sessions that failed or stopped early'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l wide -d 'Do not shorten ids, paths and prompts to the width of the terminal'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l home -d 'Also read the sessions of the CLIs on this machine'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand sessions" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l in -d 'Search these places only, separated by commas' -r -f -a "text\t'What the assistant wrote'
prompt\t'What the user asked'
thinking\t'Reasoning'
tool-input\t'Inputs of tool calls'
tool-output\t'Outputs of tool calls'"
complete -c streamj -n "__fish_streamj_using_subcommand grep" -s C -l context -d 'Print this many lines of the text before and after a match' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l since -d 'Search what was said on this day or later: 2026-11-01, yesterday, 7d' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l format -d 'Output format [default: human on a terminal, else jsonl]' -r -f -a "human\t'For people; may change in any release'
json\t'One document per run'
jsonl\t'One line per row'
tsv\t'Tab-separated values with a header line'
csv\t'Comma-separated values with a header line'"
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l get -d 'Print one member only, strings without quotes: `/session_id`' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l color -d 'Use colour: auto, always, never' -r -f -a "auto\t'On a terminal, unless an environment variable decides'
always\t'Always'
never\t'Never'"
complete -c streamj -n "__fish_streamj_using_subcommand grep" -s i -l ignore-case -d 'Ignore the case of letters'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -s F -l fixed-strings -d 'Search for PATTERN as it is, not as a regular expression'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -s l -l files-with-matches -d 'Print the sessions that match, not the matches'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -s c -l count -d 'Print the number of matching lines of each session'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l home -d 'Also search the sessions of the CLIs on this machine'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l json -d 'Print JSON: the same as --format json'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand grep" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand report" -s o -l output -d 'Write to this file; - is standard output' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand report" -l format -d 'The kind of document' -r -f -a "html\t'One HTML file that needs nothing else'
markdown\t'Markdown, shortened for issues and pull requests'"
complete -c streamj -n "__fish_streamj_using_subcommand report" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand report" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand report" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand report" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand report" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand report" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand report" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand report" -l strict -d 'Exit with 1 if a line was not JSON or too long'
complete -c streamj -n "__fish_streamj_using_subcommand report" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand report" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand report" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l port -d 'Listen on this port of 127.0.0.1; 0 takes a free one' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l token-file -d 'Read the token from this file, which is created unless it exists' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l db -d 'Also show the findings, memories and tiers in this store' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l harness -d 'Assume this CLI' -r -f -a "claude\t''
codex\t''
gemini\t''
qwen\t''
amp\t''
copilot\t''
pi\t''
kimi\t''
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l threads -d 'Threads for large inputs [default: one per core, at most 8]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l home -d 'Also show the sessions of the CLIs on this machine'
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l open -d 'Open the page in a browser'
complete -c streamj -n "__fish_streamj_using_subcommand serve" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand serve" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand serve" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l as -d 'What to print: a reading command with its options, or raw [default: view on a terminal, else text]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l tee -d 'Write the raw stream to a file (-: print it instead of --as)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l record -d 'Write the summary to a file at the end of the run, however it ends (-: print it instead of --as)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l serve -d 'Show the run in a browser as it is written' -r -f
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
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand wrap" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
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
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l serve -d 'Show all tiers in a browser as they run' -r -f
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
cline\t''
opencode\t''
kilo\t''
cursor\t''
goose\t''
grok\t''
acp\t''
droid\t''
vibe\t''
openhands\t''"
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
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
complete -c streamj -n "__fish_streamj_using_subcommand escalate" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
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
complete -c streamj -n "__fish_streamj_using_subcommand memories" -l csv-safe -d 'Write cells of tables that a spreadsheet would compute behind an apostrophe'
complete -c streamj -n "__fish_streamj_using_subcommand memories" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand memories" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l project -d 'Consider sessions of this project only; * and ? are wildcards, . is this folder' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l harness-file -d 'Read the description of a CLI that is not built in' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l max-line -d 'Skip lines longer than this (K, M, G)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l redact-pattern -d 'Mask what this regular expression matches, too (repeatable; implies --redact)' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l redact-file -d 'Read such expressions from a file, one per line (repeatable; implies --redact)' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand redact" -l redact -d 'Mask secrets in all output'
complete -c streamj -n "__fish_streamj_using_subcommand redact" -s q -l quiet -d 'Suppress notes; print errors only'
complete -c streamj -n "__fish_streamj_using_subcommand redact" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand harness" -l name -d 'The `name` that `infer` proposes [default: that of FILE]' -r -f
complete -c streamj -n "__fish_streamj_using_subcommand harness" -l harness-file -d 'Also `list` the CLI that this file describes' -r -F
complete -c streamj -n "__fish_streamj_using_subcommand harness" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand completions" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand schema" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand man" -s h -l help -d 'Print help'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "text" -d 'Print the assistant\'s text'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "tools" -d 'Print the tool calls with input, outcome and output'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "usage" -d 'Print tokens, cost and time of a run or of a folder'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "error" -d 'Print the error of a failed run with its category'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "events" -d 'Print every event, tagged with its harness'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "session" -d 'Print session id, model, directory, version, tools'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "summary" -d 'Print the whole run as one object'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "view" -d 'Show the run for people, live'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "check" -d 'Check that every line matches its CLI\'s format'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "structured" -d 'Print the document that the run was asked for'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "findings" -d 'Print what the agent reports: events, memories, escalation'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "sessions" -d 'List the sessions on this machine'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "grep" -d 'Search what was said and done in sessions'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "report" -d 'Write runs as one HTML file, or as Markdown'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "serve" -d 'Show sessions in a browser, as they are written'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "wrap" -d 'Run an agent with timeouts, a run record and full cleanup'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "prompt" -d 'Print input lines for an agent'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "escalate" -d 'Run agents in tiers, the next one on request'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "memories" -d 'Print observations of earlier runs'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "redact" -d 'Copy a stream or session without its secrets'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "harness" -d 'List agent CLIs, or describe one that is not built in'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "schema" -d 'Print the JSON Schema of an output'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "man" -d 'Print a man page'
complete -c streamj -n "__fish_streamj_using_subcommand help; and not __fish_seen_subcommand_from text tools usage error events session summary view check structured findings sessions grep report serve wrap prompt escalate memories redact harness completions schema man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
