/**
 * Tools with secrets redacted for display. A server may repeat a secret it received in a description, URL or
 * name. Comparisons and calls use the original.
 */

import type { Tool } from '../../kernel/protocol-types.ts';
import type { Redactor } from '../../masking/redactor.ts';
import { secretText } from '../../masking/secret-value.ts';

export interface ShownTools {
  /** Redacts a name or any other string. */
  readonly name: (name: string) => string;
  /** Returns the same object if there is nothing to redact, as for nearly all tools. */
  readonly tool: (tool: Tool) => Tool;
}

/** Shows tools unchanged, for hosts that have no secrets. */
export const shownAsTheyAre: ShownTools = { name: (name) => name, tool: (tool) => tool };

export function createShownTools(redactor: Redactor): ShownTools {
  // Tool tables are rebuilt whenever a server connects, and tools never change after they were read.
  const shown = new WeakMap<Tool, Tool>();
  const look = (tool: Tool): Tool => (holdsSecret(tool, redactor) ? redactor.redactValue(tool) : tool);
  return {
    name: (name) => (redactor.isInUse() ? redactor.redact(name) : name),
    tool: (tool) => {
      if (!redactor.isInUse()) return tool;
      const known = shown.get(tool) ?? look(tool);
      shown.set(tool, known);
      return known;
    },
  };
}

/**
 * Checks the whole serialized tool. Few of thousands of tools contain a secret, and copying all costs more.
 */
function holdsSecret(tool: Tool, redactor: Redactor): boolean {
  try {
    const text = JSON.stringify(tool);
    return redactor.redact(text) !== text;
  } catch (error) {
    // Too deeply nested to serialize. Redacting makes a copy of limited depth.
    if (error instanceof RangeError) return true;
    throw error;
  }
}

/** Maps a redacted name that a caller passes back to the original name. */
export function meantBy(given: string, all: readonly string[], redact: (text: string) => string): string {
  if (!given.includes(secretText) || all.includes(given)) return given;
  return all.find((one) => redact(one) === given) ?? given;
}
