/** The ways in which one secret may turn up in text: as it is, percent-encoded, as JSON, in base64. */

/** What each way of percent-encoding leaves as it is. */
const kept = {
  component: /[A-Za-z0-9\-_.!~*'()]/,
  strict: /[A-Za-z0-9\-_.~]/,
  form: /[A-Za-z0-9*\-._]/,
  wholeUrl: /[A-Za-z0-9\-_.!~*'();/?:@&=+$,#]/,
  /** What URL objects leave alone in a query, with or without a scheme they know, in a path and in user-info. */
  query: /[!$-;=?-~]/,
  httpQuery: /[!$-&(-;=?-~]/,
  path: /[!$-;=@-\]_a-z|~]/,
  userInfo: /[A-Za-z0-9!$%&'()*+,\-._~]/,
};

const authScheme = /^(?:Bearer|Basic|Token)\s+/i;
/** A line of a longer secret, such as a private key, is worth hiding when it is at least this long. */
const minLineLength = 16;

/** Every spelling to look for, those shorter than `minLength` left out. */
export function spellingsOf(secret: string, minLength: number): string[] {
  const found = new Set<string>();
  for (const text of [secret, secret.trim(), secret.trim().replace(authScheme, ''), ...longLines(secret)]) {
    if (text.length < minLength) continue;
    for (const spelling of spellingsOfText(text)) {
      if (spelling.length >= minLength) found.add(spelling);
    }
  }
  return [...found];
}

function longLines(secret: string): string[] {
  return secret.split(/[\r\n]+/).filter((line) => line.length >= minLineLength);
}

function* spellingsOfText(text: string): Generator<string> {
  yield text;
  yield* jsonSpellings(text);
  yield* percentSpellings(text);
  // Clients encode id and secret as a form does before they put them into Basic credentials.
  const bases = new Set([text, percentEncode(text, kept.component), formEncode(text)]);
  for (const base of bases) yield* base64Spellings(Buffer.from(base, 'utf8'));
}

/** Once and twice escaped, and with everything beyond ASCII as `\u` sequences. */
function* jsonSpellings(text: string): Generator<string> {
  const once = JSON.stringify(text).slice(1, -1);
  yield once;
  yield JSON.stringify(once).slice(1, -1);
  const ascii = once.replaceAll(/[^ -~]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
  yield ascii;
  yield ascii.replaceAll(/\\u[\da-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`);
  yield once.replaceAll('/', String.raw`\/`);
}

function* percentSpellings(text: string): Generator<string> {
  const spellings = [...Object.values(kept).map((keep) => percentEncode(text, keep)), formEncode(text)];
  for (const spelling of spellings) {
    yield spelling;
    yield spelling.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
  }
}

function formEncode(text: string): string {
  return percentEncode(text, kept.form).replaceAll('%20', '+');
}

/** Byte by byte rather than by encodeURIComponent, which throws on half a surrogate pair. */
function percentEncode(text: string, keep: RegExp): string {
  // Most tokens need no encoding at all.
  if (/^[\w.-]*$/.test(text)) return text;
  return Array.from(Buffer.from(text, 'utf8'), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 0x80 && keep.test(character) ? character : `%${hex(byte, 2).toUpperCase()}`;
  }).join('');
}

/**
 * The same bytes look different in base64 by how many stand before them, modulo three. Characters that also depend
 * on the bytes before are left off; those that depend on what follows are tried both ways: at the end and not.
 */
function* base64Spellings(bytes: Buffer): Generator<string> {
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const start = Math.ceil((offset * 8) / 6);
    const certain = Math.floor(((offset + bytes.length) * 8) / 6);
    const spellings = [
      encoded.slice(start, certain),
      encoded.slice(start),
      encoded.slice(start).replace(/=+$/, ''),
    ];
    for (const spelling of spellings) {
      yield spelling;
      yield spelling.replaceAll('+', '-').replaceAll('/', '_');
      yield spelling.replaceAll('+', '%2B').replaceAll('/', '%2F').replaceAll('=', '%3D');
    }
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
