/** Everything that reads what others write. */

import type { AnyTarget } from './target.ts';
import { callbacks } from './targets/callbacks.ts';
import { configFiles } from './targets/config-files.ts';
import { frames } from './targets/frames.ts';
import { requests } from './targets/requests.ts';
import { schemas } from './targets/schemas.ts';

export const targets: readonly AnyTarget[] = [...frames, configFiles, schemas, requests, callbacks];
