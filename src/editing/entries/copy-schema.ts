/** Copies the schema that the user's new file refers to into the folder where editors find it. */

import type { Machine } from '../../kernel/machine.ts';
import { writeFileAtomically } from '../../platform/files/atomic-write.ts';
import { makeHoltFolder } from '../../platform/files/private-folder.ts';
import { schemaDocuments, schemaFolder, type SchemaKind } from '../../settings/json-schema.ts';

/** Only editors need the schema, so a failure must not make the write of the file fail. */
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
