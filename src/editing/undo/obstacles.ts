/** Says why a change cannot be undone, and what the user can do instead. */

import { HoltError } from '../../kernel/errors.ts';
import type { EditParts } from '../edit-parts.ts';
import { type Obstacle, contentFile } from './undo-records.ts';

/** A newer change that was skipped. */
export interface SkippedUndo {
  readonly title: string;
  readonly at: string;
  readonly file: string;
  /** Why it was skipped, and where its previous content is. */
  readonly reason: string;
}

function whyLeft({ record: { file, title }, reason }: Obstacle): string {
  if (reason === 'undo-lost') return `The previous content of ${file} is gone, so it cannot be restored`;
  if (reason === 'removed')
    return `${file} was removed since "${title}", so there is nothing to take back in it`;
  return `${file} was changed since "${title}", so it is left as it is`;
}

/** Returns what the user can do by hand. */
function whatIsLeft({ record: { id, before }, reason }: Obstacle, parts: EditParts): string {
  if (reason === 'undo-lost') return 'Edit it by hand if it should be otherwise.';
  return before === null
    ? 'Edit it by hand to take out what was added.'
    : `What it held before is in ${contentFile(id, parts)}.`;
}

export function leftAlone(obstacle: Obstacle, parts: EditParts, older = 0): HoltError<'config-unwritable'> {
  const { record, reason } = obstacle;
  const rest =
    older === 0
      ? ''
      : `; ${older === 1 ? 'one older change' : `${older} older changes`} cannot be taken back either`;
  const details = { file: record.file, reason };
  return new HoltError('config-unwritable', `${whyLeft(obstacle)}${rest}`, details, {
    remedy: whatIsLeft(obstacle, parts),
  });
}

export function skippedUndo(obstacle: Obstacle, parts: EditParts): SkippedUndo {
  const { title, at, file } = obstacle.record;
  return { title, at, file, reason: `${whyLeft(obstacle)}. ${whatIsLeft(obstacle, parts)}` };
}
