#!/usr/bin/env bash
# A worker is killed with -9 amid its work, twice, and every file is moved once. `npm run demo -- [tasks]`; everything lies in a
# directory of its own, which goes away in the end. Exits with 0 only if all of it was as it says.
set -euo pipefail
tasks=${1:-2000}
[[ $tasks =~ ^[0-9]+$ ]] && ((tasks >= 10)) || { echo "how many tasks? a number from 10 on, and not $tasks" >&2; exit 2; }
PATH=$PATH:$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/node_modules/.bin
place=$(mktemp -d)
export WRIT_DATA_DIR=$place/data
up=
end() {
  if [[ -n $up ]]; then kill -TERM "$up" 2>/dev/null && wait "$up" || true; fi
  rm -rf "$place"
}
trap end EXIT

# Slow enough to be read where somebody reads.
pause() { if [[ -t 1 ]]; then sleep "$1"; fi; }
say() { printf '\n\033[36m# %s\033[0m\n' "$1"; pause 1.5; }
# Types a command and runs it.
run() {
  printf '\033[32m$\033[0m '
  local at
  for ((at = 0; at < ${#1}; at++)); do printf '%s' "${1:at:1}" && pause 0.02; done
  printf '\n'
  eval "$1"
  pause 1
}
fail() { printf 'the demo failed: %s\n' "$1" >&2; exit 1; }
must() { [[ $1 == "$2" ]] || fail "$1, and not $2"; }

worker() { find "$WRIT_DATA_DIR/running" -name 'worker-*.json' | sed 's/.*worker-//; s/.json//'; }
arrived() { find out -type f | wc -l; }
# Looks again until it is so, for as long as this process can make it so; else shows what that one wrote.
until_so() {
  local process=$1 wrote=$2
  until "${@:3}"; do
    kill -0 "$process" 2>/dev/null || "${@:3}" || { cat "$wrote" >&2; fail 'what should work has ended'; }
    sleep 0.02
  done
}
have_arrived() { (($(arrived) >= $1)); }
is_another() { [[ -n $(worker) && $(worker) != "$1" ]]; }
is_up() { grep -q 'Ctrl-C stops it' ../up.log; }
kill_worker() {
  until_so "$push" ../pushed have_arrived "$1"
  local pid
  pid=$(worker)
  run "kill -9 $pid   # the worker, with $(arrived) files moved"
  until_so "$up" ../up.log is_another "$pid"
}

mkdir -p -m 700 "$WRIT_DATA_DIR" "$place/files/in" "$place/files/out"
cd "$place/files"
printf '[http]\nport = 0\n[file.base_directories]\nfiles = "%s"\n' "$PWD" >"$WRIT_DATA_DIR/writ.toml"
for ((task = 1; task <= tasks; task++)); do
  echo "file $task" >"in/$task.txt"
  printf '{"task_id":"move-%s","capability_id":"FILE_MOVE","inputs":{"source_path":"%s","destination_path":"%s"},"constraints":{}}\n' \
    "$task" "$PWD/in/$task.txt" "$PWD/out/$task.txt"
done >../tasks.ndjson
(cd in && sha256sum ./*.txt) >../sums

: >../up.log
writ up >>../up.log 2>&1 &
up=$!
until_so "$up" ../up.log is_up

say "$tasks files to move; a task for each"
run 'head -n 1 ../tasks.ndjson'
say 'They are signed and pushed, and while the worker moves files, it is killed'
run 'writ push ../tasks.ndjson --sign --wait >../pushed 2>&1 &'
push=$!
kill_worker $((tasks / 4))
kill_worker $((tasks / 2))
run 'wait $!; tail -n 1 ../pushed'
say 'Each file was moved, none is lost, none is changed'
run 'ls in | wc -l; ls out | wc -l; (cd out && sha256sum --quiet -c ../../sums) && echo unchanged'
must "$(find in -type f | wc -l) $(find out -type f | wc -l)" "0 $tasks"
say 'Pushed again, all of it: the same answers, and nothing happens'
run 'echo new >in/7.txt; writ push ../tasks.ndjson --sign --wait 2>&1 | tail -n 1; cat in/7.txt out/7.txt'
must "$(cat in/7.txt out/7.txt)" $'new\nfile 7'
say 'Each answer is signed, and each move can be taken back'
run 'writ result move-9 --verify'
run 'writ undo move-9 --wait'
must "$(cat in/9.txt)" 'file 9'
