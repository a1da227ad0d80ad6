/** Saves images and other files from a result in the given folder, or mentions them in the output. */

import type { Attachment } from '../../results/tool-result.ts';
import type { CommandContext } from '../command.ts';

export async function saveAttachments(
  attachments: readonly Attachment[],
  folder: string,
  { machine }: CommandContext,
): Promise<readonly string[]> {
  const { saveNewFile } = await import('../../platform/files/save-new-file.ts');
  const target = machine.path.resolve(machine.cwd, folder);
  const saved: string[] = [];
  for (const { name, data } of attachments)
    saved.push(await saveNewFile(target, name, Buffer.from(data, 'base64')));
  return saved;
}

export function unsavedNote(attachments: readonly Attachment[]): readonly string[] {
  if (attachments.length === 0) return [];
  const files =
    attachments.length === 1 ? 'One file was returned' : `${attachments.length} files were returned`;
  return [`${files} too: --save DIR saves ${attachments.length === 1 ? 'it' : 'them'}.`];
}
