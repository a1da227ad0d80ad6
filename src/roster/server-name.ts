/** Which names holt takes from those who write: a program, a person, a file of its own. Names read from other agents may be anything printable. */

const writableName = /^[A-Za-z0-9_.-]{1,100}$/;

export function isWritableName(name: string): boolean {
  return writableName.test(name);
}

/** What is wrong with a name, in the same words everywhere; undefined when it fits. */
export function wrongName(name: string): string | undefined {
  if (isWritableName(name)) return undefined;
  return `the name "${name}" must be 1 to 100 letters, digits, dots, dashes or underscores`;
}
