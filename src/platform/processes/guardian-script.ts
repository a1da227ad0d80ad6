/**
 * What the guardian runs. Its arguments are what it knows from the start, `RUN:GROUP` each. It reads lines
 * (`add RUN GROUP`, `remove RUN`) and does nothing else until its input ends,
 * which is when we are gone. Then it ends every group it still knows, and what carries the cookie of one of those runs.
 */

import { runVariable } from './process-facts.ts';

/** GROUP is 0 until it is known. `kill -9 -N` is the one spelling that every shell takes for a group. */
export const shellScript = `
trap '' HUP INT QUIT TERM TSTP
known=' '
for entry in "$@"; do known="$known$entry "; done
while read -r verb run group; do
  rest=' '
  for entry in $known; do
    [ "\${entry%:*}" = "$run" ] || rest="$rest$entry "
  done
  known=$rest
  [ "$verb" = add ] && known="$known$run:$group "
done
[ "$known" = ' ' ] && exit 0
for entry in $known; do
  group=\${entry#*:}
  [ "$group" -gt 1 ] && kill -9 -"$group"
done 2>/dev/null
[ -r /proc/self/environ ] || exit 0
set --
for entry in $known; do
  set -- "$@" -e "${runVariable}=\${entry%:*}"
done
for round in 1 2 3 4 5; do
  grep -lzxF "$@" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r empty proc pid rest; do
    kill -9 "$pid" 2>/dev/null
  done
  sleep 0.1
done
`;

/** The same for systems without a shell. */
export const nodeScript = `
const known = new Map(process.argv.slice(2).map((entry) => entry.split(':')).map(([run, group]) => [run, Number(group)]));
for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(name, () => undefined);
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const [verb, run, group] = line.split(' ');
    if (verb === 'add') known.set(run, Number(group));
    else known.delete(run);
  }
}).on('error', () => undefined).on('close', () => {
  for (const group of known.values()) {
    if (group <= 1) continue;
    if (process.platform === 'win32') {
      const program = process.env.SystemRoot + '\\\\System32\\\\taskkill.exe';
      require('node:child_process').spawnSync(program, ['/PID', String(group), '/T', '/F'], { stdio: 'ignore' });
    } else try { process.kill(-group, 'SIGKILL'); } catch {}
  }
});
`;
