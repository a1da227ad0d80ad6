/** Reads the processes of holt's servers for `holt ps`, `holt reap` and `holt doctor`. */

import type { Problem } from '../../kernel/problems.ts';
import { createLeases, type Leases, type SurvivorRow } from '../../platform/processes/leases.ts';
import type { CommandContext } from '../command.ts';

type LeaseContext = Pick<CommandContext, 'machine' | 'now'>;

export function leasesOf({ machine, now }: LeaseContext): Leases {
  return createLeases({ holtHome: machine.holtHome, os: machine.os, wallNow: () => now().getTime() });
}

/** Reports processes that still run although their server was stopped, or its owner is gone. */
export async function survivorProblems(context: LeaseContext): Promise<readonly Problem[]> {
  const rows = await leasesOf(context).listProcesses();
  return rows.flatMap((row) => (row.kind === 'survivor' ? [survivorProblem(row)] : []));
}

function survivorProblem({ server, pid, command, memoryBytes, ageMs, remedy }: SurvivorRow): Problem {
  const size = `${memoryText(memoryBytes)}, ${ageText(ageMs)} old`;
  return {
    severity: 'warning',
    code: 'process-survived',
    file: '',
    line: 1,
    column: 1,
    server,
    message: `process ${pid} (${command}), started by the server "${server}", still runs after it: ${size}`,
    remedy: `End it with ${remedy}.`,
  };
}

export function memoryText(bytes: number | undefined): string {
  return bytes === undefined ? '–' : `${Math.round(bytes / (1 << 20))} MiB`;
}

export function ageText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
