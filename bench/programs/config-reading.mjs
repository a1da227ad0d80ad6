/** Reads a home's config files again and again in one program; prints the time of each reading after the first few. */

import { loadServers } from '../../dist/index.js';

const [home, cwd, warmUps, rounds] = process.argv.slice(2);
const times = [];
for (let round = -Number(warmUps); round < Number(rounds); round += 1) {
  const start = performance.now();
  await loadServers({ home, cwd });
  if (round >= 0) times.push(performance.now() - start);
}
console.log(JSON.stringify(times));
