/** Receive accounts, with or without a total limit. */

import { createReceiveBudget, type ReceiveAccount } from '../../src/network/receive-budget.ts';

export function openAccount(limitBytes: number = Number.POSITIVE_INFINITY): ReceiveAccount {
  return createReceiveBudget(() => limitBytes).openAccount();
}
