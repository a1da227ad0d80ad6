/**
 * What the guardian runs. Its arguments are what it knows from the start, an entry for each run:
 * `RUN:GROUP` and then `:PID=START` for each process that is known by itself. It reads lines (`add RUN GROUP:…`,
 * `remove RUN`) and does nothing else until its input ends, which is when we are gone. Then it ends every group it still
 * knows, those processes with everything below them, and what carries the cookie of one of those runs.
 */

import { runVariable } from './process-facts.ts';

/**
 * GROUP is 0 until it is known. `kill -9 -N` is the one spelling that every shell takes for a group.
 * `below` lists what descends from the known processes; it is made before anything is killed, since that cuts the links
 * to parents. Of a process in `/proc/PID/stat`, what follows the name is: state, parent, group, …, and its start as the 20th.
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

/** The same for systems without a shell. Deno has a word more before the arguments, and no `close` after the `end` of stdin. */
export const nodeScript = `
const given = process.argv.slice(process.argv.indexOf('holt-guardian') + 1);
const known = new Map(given.map((entry) => entry.split(':')).map(([run, group]) => [run, Number(group)]));
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
