/**
 * The scripts that the guardian runs. Each argument is an entry for one run, `RUN:GROUP` followed by
 * `:PID=START` for each process that is known individually. The script reads lines (`add RUN GROUP:…`,
 * `remove RUN`) until its input ends, which means that holt has ended. Then it kills every remaining group,
 * the known processes with their descendants, and all processes that carry the cookie of a remaining run.
 */

import { runVariable } from '../trees/process-facts.ts';

/**
 * GROUP is 0 until it is known. `kill -9 -N` is the only syntax for a group that every shell accepts. `below`
 * lists the known processes and their descendants; it is built before anything is killed, because killing
 * cuts parent links. In `/proc/PID/stat`, the fields after the name are state, parent, group, …; the start
 * time is the 20th of them.
 */
export const shellScript = `
trap '' HUP INT QUIT TERM TSTP
known=' '
for entry in "$@"; do known="$known$entry "; done
while read -r verb run rest; do
  others=' '
  for entry in $known; do
    [ "\${entry%%:*}" = "$run" ] || others="$others$entry "
  done
  known=$others
  [ "$verb" = add ] && known="$known$run:$rest "
done
[ "$known" = ' ' ] && exit 0
is_same() {
  text=
  while read -r line || [ -n "$line" ]; do text="$text $line"; done <"/proc/$1/stat"
  set -- "$2" \${text##*) }
  own_group=$4
  [ "\${21}" = "$1" ]
}
add_below() {
  for list in /proc/"$1"/task/[0-9]*/children; do
    line=
    read -r line <"$list"
    for child in $line; do
      below="$below$child "
      add_below "$child"
    done
  done
}
below=
for entry in $known; do
  IFS=:
  set -- $entry
  IFS=' '
  shift 2
  for one in "$@"; do
    pid=\${one%=*}
    is_same "$pid" "\${one#*=}" || continue
    [ "$own_group" = "$pid" ] && below="$below-$pid "
    below="$below$pid "
    add_below "$pid"
  done
done 2>/dev/null
for entry in $known; do
  group=\${entry#*:}
  group=\${group%%:*}
  [ "$group" -gt 1 ] && kill -9 -"$group"
done 2>/dev/null
for pid in $below; do kill -9 "$pid"; done 2>/dev/null
[ -r /proc/self/environ ] || exit 0
set --
for entry in $known; do
  set -- "$@" -e "${runVariable}=\${entry%%:*}"
done
for round in 1 2 3 4 5; do
  grep -lzxF "$@" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r empty proc pid rest; do
    kill -9 "$pid" 2>/dev/null
  done
  sleep 0.1
done
`;

/**
 * The version for systems without a shell; it only ends process groups. In Deno, `process.argv` has an extra
 * element and stdin emits no `close` after `end`.
 */
export const nodeScript = `
const entries = process.argv.slice(process.argv.indexOf('holt-guardian') + 1);
const known = new Map(entries.map((entry) => entry.split(':')).map(([run, group]) => [run, Number(group)]));
for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(name, () => undefined);
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const [verb, run, group] = line.split(' ');
    if (verb === 'add') known.set(run, Number.parseInt(group, 10));
    else known.delete(run);
  }
}).on('error', () => undefined).on('end', endAll).on('close', endAll);
function endAll() {
  const groups = [...known.values()];
  known.clear();
  for (const group of groups) {
    if (group <= 1) continue;
    if (process.platform === 'win32') {
      const program = process.env.SystemRoot + '\\\\System32\\\\taskkill.exe';
      require('node:child_process').spawnSync(program, ['/PID', String(group), '/T', '/F'], { stdio: 'ignore' });
    } else try { process.kill(-group, 'SIGKILL'); } catch {}
  }
}
`;
