/** Real servers from npm. All start without a network and without an account. */

import { frontDoors } from './front-doors.ts';
import { ownWork } from './own-work.ts';
import type { ZooServer } from './zoo-server.ts';

export const zoo: readonly ZooServer[] = [...ownWork, ...frontDoors];
