/**
 * Checks the place of holt's own folder, which holds approvals and logins. Inside a project, the project
 * could approve itself.
 */

import { HoltError } from '../kernel/errors.ts';
import { isInside, type Machine } from '../kernel/machine.ts';
import { realPathNow } from '../platform/files/real-path.ts';

/**
 * Throws `folder-unsafe` when the folder is inside the project. A project that contains the whole home folder
 * is the user's own and is allowed.
 */
export function requireOwnHoltHome(
  machine: Machine,
  realPath: (place: string) => string = realPathNow,
): void {
  const { holtHome, homeDir, projectRoot, hasProject } = machine;
  if (!hasProject || isInside(homeDir, projectRoot, machine)) return;
  if (![holtHome, realPath(holtHome)].some((place) => isInside(place, projectRoot, machine))) return;
  const message = `${holtHome} lies inside the project ${projectRoot}, so holt does not use it as its own folder`;
  throw new HoltError(
    'folder-unsafe',
    message,
    { folder: holtHome, reason: 'in-project' },
    {
      remedy: 'Unset HOLT_HOME, or set it to a folder outside the project.',
    },
  );
}
