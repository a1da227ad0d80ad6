/** The full report on one server, as `holt status` and similar commands show it. */

import type { Implementation } from '../kernel/protocol-types.ts';
import type { Era, Phase, Status } from '../kernel/phases.ts';
import type { ErrorCode, HoltError } from '../kernel/errors.ts';
import type { StartIn } from '../trust/start-folder.ts';
import type { FailedLists, Lists } from './lists/read-lists.ts';
import type { Session } from './session.ts';

export type { FailedLists, Lists };

export interface ServerReport {
  readonly status: Status;
  readonly remedy?: string;
  /** The error code, for programs. */
  readonly code?: ErrorCode;
  readonly era?: Era;
  readonly protocol?: string;
  readonly serverInfo?: Implementation;
  readonly instructions?: string;
  readonly lists?: Lists;
  /** Why a list could not be read. For such a list, `lists` has the last version that was read, if any. */
  readonly failedLists?: FailedLists;
  readonly pid?: number;
  /** The folder in which its program started, and why. */
  readonly startIn?: StartIn;
  /** Milliseconds from the start to `ready`. */
  readonly ms: number;
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
}

export interface ReportParts {
  readonly status: Status;
  readonly session: Session | undefined;
  readonly start: StartIn | undefined;
  readonly error: HoltError | undefined;
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
}

export function reportOf({ status, session, start, error, phases }: ReportParts): ServerReport {
  const started = Object.entries(phases).filter(([phase]) => phase !== 'ready' && phase !== 'executing');
  return {
    status,
    ...(error === undefined ? {} : { code: error.code }),
    ...(error?.remedy === undefined ? {} : { remedy: error.remedy }),
    ...(session === undefined ? {} : sessionReport(session)),
    ...(session === undefined || start === undefined ? {} : { startIn: start }),
    ms: started.reduce((sum, [, ms]) => sum + ms, 0),
    phases,
  };
}

function sessionReport({
  era,
  protocol,
  serverInfo,
  instructions,
  lists,
  failedLists,
  channel,
}: Session): Partial<ServerReport> {
  const { processId } = channel.transport;
  return {
    era,
    protocol,
    lists,
    ...(Object.keys(failedLists).length === 0 ? {} : { failedLists }),
    ...(serverInfo === undefined ? {} : { serverInfo }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(processId === undefined ? {} : { pid: processId }),
  };
}
