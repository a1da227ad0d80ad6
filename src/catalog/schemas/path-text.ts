/** Formats a path in the arguments as a person writes it: `filter.tags[0]`. */

const maxLength = 200;

export function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return '(root)';
  let text = '';
  for (const part of path) {
    // Escape only the part of a long name that is shown.
    const key = typeof part === 'number' ? part : part.slice(0, maxLength + 1);
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
    if (text.length > maxLength) return `${text.slice(0, maxLength)}…`;
  }
  return text;
}
