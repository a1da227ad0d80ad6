/** The lower bound: a hand-written client without any checks. */

import { openByHand } from './by-hand.mjs';
import { runJob } from './jobs.mjs';

await runJob(openByHand);
