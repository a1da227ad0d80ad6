/**
 * Finds secrets that a definition contains as plain text, by what masking hides, so that they can be hidden
 * elsewhere too.
 */

import type { ServerDefinition } from '../../kernel/servers.ts';
import { looksSecret } from '../../masking/looks-secret.ts';
import { maskArgs, maskUrl } from '../../masking/mask-secrets.ts';

export function literalSecrets({ launch, dialect }: ServerDefinition): readonly string[] {
  const named = (values: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(values).flatMap(([name, value]) => (looksSecret(name, value, dialect) ? [value] : []));
  if (launch.kind === 'stdio') {
    const masked = maskArgs(launch.args, dialect);
    return [
      ...named(launch.env),
      ...launch.args.flatMap((argument, index) => hiddenParts(argument, masked[index] ?? '')),
    ];
  }
  const { url, headers, oauth } = launch;
  const { clientSecret, privateKey } = oauth === undefined || oauth === false ? {} : oauth;
  return [
    ...named(headers),
    ...hiddenParts(url, maskUrl(url, dialect)),
    ...named({
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(privateKey === undefined ? {} : { privateKey }),
    }),
  ];
}

const mask = '***';

/** Returns the strings that the masks in the masked text replace. */
function hiddenParts(text: string, masked: string): readonly string[] {
  if (text === masked) return [];
  const [first = '', ...pieces] = masked.split(mask);
  const hidden: string[] = [];
  let at = first.length;
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const end = isLast ? text.length - piece.length : text.indexOf(piece, at);
    if (end < at) return [text];
    const part = text.slice(at, end);
    // For a user and a password, the password also appears alone.
    hidden.push(part, part.slice(part.indexOf(':') + 1));
    at = end + piece.length;
  }
  return hidden;
}
