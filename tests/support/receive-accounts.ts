/** Accounts for what servers send, without a limit in all or with one. */

import { createReceiveBudget, type ReceiveAccount } from '../../src/network/receive-budget.ts';

export function openAccount(limitBytes: number = Number.POSITIVE_INFINITY): ReceiveAccount {
  return createReceiveBudget(() => limitBytes).openAccount();
}
