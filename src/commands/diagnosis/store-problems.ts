/** Finds problems in holt's own files for `holt doctor`. Only reads; repairs nothing. */

import { isDamagedPinFile } from '../../catalog/pin-file.ts';
import type { Problem } from '../../kernel/problems.ts';
import type { FileOutcome } from '../../platform/files/files.ts';
import { readCredentials } from '../../secrets/credential-records.ts';
import { storeProblems } from '../../trust/load-approvals.ts';
import type { ProblemContext } from '../command.ts';

const maxBytes = 64 << 20;

interface Store {
  readonly name: string;
  readonly holds: string;
  readonly isDamaged: (text: string) => boolean;
}

const stores: readonly Store[] = [
  { name: 'credentials.json', holds: 'logins', isDamaged: (text) => readCredentials(text).damaged },
  { name: 'pins.json', holds: 'accepted tools', isDamaged: isDamagedPinFile },
];

/** `known` has the problems found so far. */
export function ownFileProblems(
  { machine, editing, trustStore }: Pick<ProblemContext, 'machine' | 'editing' | 'trustStore'>,
  known: readonly Problem[],
): readonly Problem[] {
  const { holtHome, path } = machine;
  const home = editing.files.load(holtHome, maxBytes);
  if (home.kind !== 'missing' && !(home.kind === 'not-regular' && home.what === 'a folder'))
    return [problemIn(holtHome, 'file-not-regular', 'it is not a folder, so holt cannot store anything')];
  const trust = storeProblems(trustStore).filter(({ file }) =>
    known.every((problem) => problem.file !== file),
  );
  return [
    ...trust,
    ...stores.flatMap((store) => {
      const file = path.join(holtHome, store.name);
      return problemsOf(file, store, editing.files.load(file, maxBytes));
    }),
  ];
}

function problemsOf(file: string, { holds, isDamaged }: Store, outcome: FileOutcome): readonly Problem[] {
  switch (outcome.kind) {
    case 'missing':
      return [];
    case 'file':
      return isDamaged(Buffer.from(outcome.bytes).toString('utf8')) ? [damaged(file, holds)] : [];
    case 'not-regular':
      return [
        problemIn(file, 'file-not-regular', `it is ${outcome.what}, so no ${holds} can be stored in it`),
      ];
    case 'too-large':
      return [problemIn(file, 'file-too-large', `it is too large, so no ${holds} are read from it`)];
    case 'unreadable':
      return [problemIn(file, 'file-unreadable', `the ${holds} in it cannot be read: ${outcome.reason}`)];
  }
}

function damaged(file: string, holds: string): Problem {
  return {
    ...problemIn(file, 'file-shape', `it is damaged: holt uses only those ${holds} in it that can be read`),
    remedy:
      'holt keeps the file as it is under another name before it writes there again. Fix it by hand if you can.',
  };
}

function problemIn(file: string, code: Problem['code'], message: string): Problem {
  const remedy = 'Move it away; holt makes a new one. What was stored in it has to be entered again.';
  return { severity: 'error', code, file, line: 1, column: 1, message, remedy };
}
