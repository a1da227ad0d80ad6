/**
 * The server names that holt accepts from programs, people and its own files. Names read from other agents
 * may be anything printable.
 */

const writableName = /^[A-Za-z0-9_.-]{1,100}$/;

export function isWritableName(name: string): boolean {
  return writableName.test(name);
}

/** Returns an error message for an invalid name; undefined for a valid one. */
export function wrongName(name: string): string | undefined {
  if (isWritableName(name)) return undefined;
  return `the name "${name}" must be 1 to 100 letters, digits, dots, dashes or underscores`;
}
