# Written by `npm run docs` from the table of commands.
_writ() {
  local current=${COMP_WORDS[COMP_CWORD]} at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/${COMP_WORDS[i]}" in
      /up | /api | /worker | /kernel | /index-host | /mcp | /init | /keygen | /doctor | /reload | /completion | /push | /result | /retry | /undo | /cancel | /tasks | /tasks/list | /tasks/show | /tasks/follow | /tasks/retry | /tasks/cancel | /status | /queue | /queue/list | /queue/pause | /queue/resume | /schedule | /schedule/add | /schedule/list | /schedule/show | /schedule/pause | /schedule/resume | /schedule/remove | /webhooks | /webhooks/endpoints | /webhooks/list | /webhooks/show | /webhooks/resend | /webhooks/test | /events | /plan | /plan/check | /plan/run | /plan/show | /plan/cancel | /plan/retry | /plan/undo | /plan/approve | /plan/deny | /plan/approvals | /plans | /plans/list | /plans/show | /plans/follow | /plans/retry | /plans/cancel | /search | /index | /index/status | /index/build | /index/reconcile | /index/drop | /index/check | /find | /scopes | /messages | /messages/search | /messages/import | /messages/rebuild | /messages/shadow-report | /tui | /lease | /lease/issue | /lease/verify | /lease/revoke | /key | /key/create | /key/list | /key/rotate | /key/revoke | /login-link | /sessions | /sessions/list | /sessions/end | /audit | /audit/verify | /audit/list | /vault | /vault/list | /vault/purge) at="$at/${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
    '') words='up api worker kernel index-host mcp init keygen doctor reload completion push result retry undo cancel tasks status queue schedule webhooks events plan plans search index find scopes messages tui lease key login-link sessions audit vault --version --json --no-color --data-dir --config --set --help' ;;
    '/up') words='--once --help --version --json --no-color --data-dir --config --set' ;;
    '/api') words='--index-host --help --version --json --no-color --data-dir --config --set' ;;
    '/worker') words='--queues --help --version --json --no-color --data-dir --config --set' ;;
    '/kernel') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/index-host') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/mcp') words='--roles --key --help --version --json --no-color --data-dir --config --set' ;;
    '/init') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/keygen') words='--role --capabilities --help --version --json --no-color --data-dir --config --set' ;;
    '/doctor') words='--rebuild-ledger --help --version --json --no-color --data-dir --config --set' ;;
    '/reload') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/completion') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/push') words='--sign --ttl --confirmed-by --attempts --not-before --priority --dry-run --wait --timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/result') words='--verify --help --version --json --no-color --data-dir --config --set' ;;
    '/retry') words='--regrant --no-regrant --wait --timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/undo') words='--wait --timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/cancel') words='--timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/tasks') words='list show follow retry cancel --help --version --json --no-color --data-dir --config --set' ;;
    '/tasks/list') words='--state --capability --code --path --plan --since --until --limit --key --help --version --json --no-color --data-dir --config --set' ;;
    '/tasks/show') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/tasks/follow') words='--timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/tasks/retry') words='--state --capability --code --path --plan --since --until --regrant --no-regrant --yes --key --help --version --json --no-color --data-dir --config --set' ;;
    '/tasks/cancel') words='--state --capability --code --path --plan --since --until --yes --key --help --version --json --no-color --data-dir --config --set' ;;
    '/status') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/queue') words='list pause resume --help --version --json --no-color --data-dir --config --set' ;;
    '/queue/list') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/queue/pause') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/queue/resume') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/schedule') words='add list show pause resume remove --help --version --json --no-color --data-dir --config --set' ;;
    '/schedule/add') words='--cron --tz --missed --overlap --gap --fold --id --ttl --attempts --priority --help --version --json --no-color --data-dir --config --set' ;;
    '/schedule/list') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/schedule/show') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/schedule/pause') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/schedule/resume') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/schedule/remove') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/webhooks') words='endpoints list show resend test --help --version --json --no-color --data-dir --config --set' ;;
    '/webhooks/endpoints') words='--key --help --version --json --no-color --data-dir --config --set' ;;
    '/webhooks/list') words='--dead --endpoint --task --plan --key --help --version --json --no-color --data-dir --config --set' ;;
    '/webhooks/show') words='--key --help --version --json --no-color --data-dir --config --set' ;;
    '/webhooks/resend') words='--dead --key --help --version --json --no-color --data-dir --config --set' ;;
    '/webhooks/test') words='--key --help --version --json --no-color --data-dir --config --set' ;;
    '/events') words='--after --tasks --plans --key --help --version --json --no-color --data-dir --config --set' ;;
    '/plan') words='check run show cancel retry undo approve deny approvals --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/check') words='--linked --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/run') words='--ttl --not-before --priority --wait --timeout --webhook --key --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/show') words='--memory --verify --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/cancel') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/plan/retry') words='--regrant --no-regrant --wait --timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/undo') words='--wait --timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/approve') words='--step --note --data --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/deny') words='--step --note --help --version --json --no-color --data-dir --config --set' ;;
    '/plan/approvals') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/plans') words='list show follow retry cancel --help --version --json --no-color --data-dir --config --set' ;;
    '/plans/list') words='--state --code --since --until --limit --help --version --json --no-color --data-dir --config --set' ;;
    '/plans/show') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/plans/follow') words='--timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/plans/retry') words='--state --code --since --until --regrant --no-regrant --yes --help --version --json --no-color --data-dir --config --set' ;;
    '/plans/cancel') words='--state --code --since --until --yes --help --version --json --no-color --data-dir --config --set' ;;
    '/search') words='--ignore-case --case-sensitive --smart-case --fixed-strings --word-regexp --hidden --follow --no-ignore --glob --context --max-results --timeout --fuzzy --backend --stats --help --version --json --no-color --data-dir --config --set' ;;
    '/index') words='status build reconcile drop check --help --version --json --no-color --data-dir --config --set' ;;
    '/index/status') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/index/build') words='--wait --help --version --json --no-color --data-dir --config --set' ;;
    '/index/reconcile') words='--wait --help --version --json --no-color --data-dir --config --set' ;;
    '/index/drop') words='--wait --help --version --json --no-color --data-dir --config --set' ;;
    '/index/check') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/find') words='--max --ttl --timeout --help --version --json --no-color --data-dir --config --set' ;;
    '/scopes') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/messages') words='search import rebuild shadow-report --help --version --json --no-color --data-dir --config --set' ;;
    '/messages/search') words='--project --product --kind --from --to --agent --thread --importance --ack --no-ack --since --until --sort --mode --min-score --as --key --limit --offset --cursor --snippets --facets --explain --help --version --json --no-color --data-dir --config --set' ;;
    '/messages/import') words='--format --project --from-start --help --version --json --no-color --data-dir --config --set' ;;
    '/messages/rebuild') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/messages/shadow-report') words='--project --product --limit --help --version --json --no-color --data-dir --config --set' ;;
    '/tui') words='--no-mouse --key --help --version --json --no-color --data-dir --config --set' ;;
    '/lease') words='issue verify revoke --help --version --json --no-color --data-dir --config --set' ;;
    '/lease/issue') words='--ttl --confirmed-by --help --version --json --no-color --data-dir --config --set' ;;
    '/lease/verify') words='--manifest --help --version --json --no-color --data-dir --config --set' ;;
    '/lease/revoke') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/key') words='create list rotate revoke --help --version --json --no-color --data-dir --config --set' ;;
    '/key/create') words='--roles --ttl --agent --project --out --print --help --version --json --no-color --data-dir --config --set' ;;
    '/key/list') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/key/rotate') words='--grace --out --print --help --version --json --no-color --data-dir --config --set' ;;
    '/key/revoke') words='--help --version --json --no-color --data-dir --config --set' ;;
    '/login-link') words='--roles --ttl --help --version --json --no-color --data-dir --config --set' ;;
    '/sessions') words='list end --help --version --json --no-color --data-dir --config --set' ;;
    '/sessions/list') words='--key --help --version --json --no-color --data-dir --config --set' ;;
    '/sessions/end') words='--key --help --version --json --no-color --data-dir --config --set' ;;
    '/audit') words='verify list --help --version --json --no-color --data-dir --config --set' ;;
    '/audit/verify') words='--after --help --version --json --no-color --data-dir --config --set' ;;
    '/audit/list') words='--since --action --help --version --json --no-color --data-dir --config --set' ;;
    '/vault') words='list purge --help --version --json --no-color --data-dir --config --set' ;;
    '/vault/list') words='--base --help --version --json --no-color --data-dir --config --set' ;;
    '/vault/purge') words='--older-than --base --confirm --help --version --json --no-color --data-dir --config --set' ;;
  esac
  # Options only for who has begun one.
  [[ $current == -* ]] || words=${words%%--*}
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _writ writ
