/** Real servers from npm. All start without a network and without an account. */

import { backendServers } from './backend-servers.ts';
import { selfContainedServers } from './self-contained-servers.ts';
import type { ZooServer } from './zoo-server.ts';

export const zoo: readonly ZooServer[] = [...selfContainedServers, ...backendServers];
