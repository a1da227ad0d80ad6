import * as s from './faults/streams.ts';
for (const [name, fn] of Object.entries(s as Record<string, () => Promise<unknown>>)) {
  if (name === 'benchStreams') continue;
  const at = performance.now();
  try { console.log(name, JSON.stringify(await Promise.race([fn(), new Promise((r) => setTimeout(r, 60000, 'TIMEOUT'))])), Math.round(performance.now() - at)); } catch (e) { console.log(name, String(e)); }
}
process.exit();
