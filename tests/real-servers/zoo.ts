/** Real servers from npm. All start without a network and without an account. */

import { frontDoors } from './backend-servers.ts';
import { ownWork } from './self-contained-servers.ts';
import type { ZooServer } from './zoo-server.ts';

export const zoo: readonly ZooServer[] = [...ownWork, ...frontDoors];
