/**
 * Finds what can never work in an entry, whatever it connects to. Better reported when it is written than at
 * each start.
 */

import { parseTemplate } from '../dialects/parse-template.ts';
import { checkUrlTemplate } from '../dialects/url-template.ts';
import type { ServerDefinition } from '../kernel/servers.ts';

const scheme = /^([a-z][a-z\d+.-]*):\/\//i;
const lineBreaks = /[\r\n\0]/;

/** Returns error messages. They do not contain field values, which may be secret. */
export function unworkable({
  launch,
  dialect,
}: Pick<ServerDefinition, 'launch' | 'dialect'>): readonly string[] {
  if (launch.kind === 'stdio') {
    const [, found] = scheme.exec(launch.command) ?? [];
    return found === undefined
      ? []
      : [`"command" is a URL; that of a server begins with http, https, ws or wss, not ${found}`];
  }
  const placeholder = checkUrlTemplate(parseTemplate(launch.url, dialect, 'url'));
  const broken = Object.entries(launch.headers).filter(([, value]) => lineBreaks.test(value));
  return [
    ...(placeholder === undefined
      ? []
      : [`${placeholder} is in the scheme, host or port of the URL, which must be written out`]),
    ...broken.map(([name]) => `the value of the header ${name} has a line break`),
  ];
}
