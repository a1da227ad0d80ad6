/** The schema that a new file of the user's names, put where editors find it. */

import type { Machine } from '../../kernel/machine.ts';
import { writeFileAtomically } from '../../platform/atomic-write.ts';
import { makeHoltFolder } from '../../platform/private-folder.ts';
import { schemaDocuments, schemaFolder } from '../../settings/json-schema.ts';

/** For editors only, so that a failure is no reason to say that the entry was not written. */
export async function copyServerSchema({ path, holtHome, os }: Machine): Promise<void> {
  try {
    await makeHoltFolder(holtHome, schemaFolder, { os });
    const text = `${JSON.stringify(schemaDocuments().mcp, undefined, 2)}\n`;
    await writeFileAtomically(path.join(holtHome, ...schemaFolder, 'mcp.json'), Buffer.from(text), {
      os,
      folders: 'private',
    });
  } catch {
    return;
  }
}
