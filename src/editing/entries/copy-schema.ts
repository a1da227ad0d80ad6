/** The schema that a new file of the user's names, put where editors find it. */

import type { Machine } from '../../kernel/machine.ts';
import { writeFileAtomically } from '../../platform/atomic-write.ts';
import { makeHoltFolder } from '../../platform/private-folder.ts';
import { schemaDocuments, schemaFolder, type SchemaKind } from '../../settings/json-schema.ts';

/** For editors only, so that a failure is no reason to say that the file was not written. */
export async function copySchema(kind: SchemaKind, { path, holtHome, os }: Machine): Promise<void> {
  try {
    await makeHoltFolder(holtHome, schemaFolder, { os });
    const text = `${JSON.stringify(schemaDocuments()[kind], undefined, 2)}\n`;
    await writeFileAtomically(path.join(holtHome, ...schemaFolder, `${kind}.json`), Buffer.from(text), {
      os,
      folders: 'private',
    });
  } catch {
    return;
  }
}
