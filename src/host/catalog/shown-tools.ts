/**
 * Tools as they are shown: without secrets. A server may repeat what it was told, in a text, an address or a name. What is
 * compared and what is called stays as the server said it.
 */

import type { Tool } from '../../kernel/protocol-types.ts';
import type { Redactor } from '../../masking/redactor.ts';
import { secretText } from '../../masking/secret-value.ts';

export interface ShownTools {
  /** Also of other texts. */
  readonly name: (name: string) => string;
  /** The same one where there is nothing to hide, as in nearly all. */
  readonly tool: (tool: Tool) => Tool;
}

/** For those that were never told a secret. */
export const shownAsTheyAre: ShownTools = { name: (name) => name, tool: (tool) => tool };

export function createShownTools(redactor: Redactor): ShownTools {
  // Tables are made anew whenever one of many servers comes up, and tools are never changed after they were read.
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

/** In one look at the whole text: of thousands of tools hardly one has anything to hide, and a copy of each would cost more. */
function holdsSecret(tool: Tool, redactor: Redactor): boolean {
  try {
    const text = JSON.stringify(tool);
    return redactor.redact(text) !== text;
  } catch (error) {
    // Nested too deeply to be printed: what is shown of it is a copy that ends somewhere.
    if (error instanceof RangeError) return true;
    throw error;
  }
}

/** Which of them somebody means who was shown one of them. */
export function meantBy(given: string, all: readonly string[], redact: (text: string) => string): string {
  if (!given.includes(secretText) || all.includes(given)) return given;
  return all.find((one) => redact(one) === given) ?? given;
}
