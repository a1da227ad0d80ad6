/** Runs the `console` blocks of a page in a fresh home and writes what each command printed. */

import { createDemo, type Demo } from './make-reference-demo.ts';

export const taskPages: readonly string[] = [
  'docs/find-servers.md',
  'docs/trust.md',
  'docs/log-in.md',
  'docs/call-tools.md',
  'docs/build-an-agent.md',
  'docs/write-a-plugin.md',
  'docs/migrate.md',
];

/** The page with fresh outputs. What differs only in times and digests stays as it stands. */
export async function followPage(page: string): Promise<string> {
  await using demo = createDemo();
  const parts = page.split(/(^```console\n[^]*?^```$)/m);
  const followed: string[] = [];
  for (const part of parts)
    followed.push(part.startsWith('```console\n') ? await followBlock(part, demo) : part);
  return followed.join('');
}

async function followBlock(block: string, demo: Demo): Promise<string> {
  const commands = [...block.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command);
  const lines: string[] = [];
  let before = 0;
  for (const command of commands) {
    const { output, code } = await demo.run(command, before);
    before = code;
    lines.push(
      `$ ${command}`,
      ...output
        .trimEnd()
        .split('\n')
        .filter((line, at) => line !== '' || at > 0),
    );
  }
  const fresh = `\`\`\`console\n${lines.join('\n')}\n\`\`\``;
  return steady(fresh) === steady(block) ? block : fresh;
}

/** A text without what changes from run to run. */
export function steady(text: string): string {
  return (
    text
      .replaceAll(/\d+(?:\.\d+)? ms/g, 'N ms')
      .replaceAll(/"ms": \d+/g, '"ms": N')
      // A long one goes on in the next row of a picture.
      .replaceAll(/[0-9a-f]{12,}/g, '…')
      .replaceAll(/[^\S\n]{2,}/g, '  ')
  );
}
