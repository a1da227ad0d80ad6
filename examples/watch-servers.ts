/** Tells when a server appears or goes. Ends after the first change, or at once with `--once`. */

import { watchServers } from 'holt';

const watch = await watchServers({
  onChange: ({ servers }) => {
    console.log(`now: ${servers.map(({ name }) => name).join(', ')}`);
    watch.close();
  },
});
console.log(`watching ${watch.servers.servers.length} servers`);
if (process.argv.includes('--once')) watch.close();
