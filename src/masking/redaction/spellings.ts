/**
 * The encodings in which a secret may appear in text: unchanged, percent-encoded, JSON-escaped or in base64.
 */

/** The characters that each kind of percent-encoding leaves unchanged. */
const kept = {
  component: /[A-Za-z0-9\-_.!~*'()]/,
  strict: /[A-Za-z0-9\-_.~]/,
  form: /[A-Za-z0-9*\-._]/,
  wholeUrl: /[A-Za-z0-9\-_.!~*'();/?:@&=+$,#]/,
  /**
   * What URL objects leave unchanged: in a query, with or without a special scheme, in a path and in
   * user-info.
   */
  query: /[!$-;=?-~]/,
  httpQuery: /[!$-&(-;=?-~]/,
  path: /[!$-;=@-\]_a-z|~]/,
  userInfo: /[A-Za-z0-9!$%&'()*+,\-._~]/,
};

const authScheme = /^(?:Bearer|Basic|Token)\s+/i;
/**
 * A line of a longer secret, such as a private key, is redacted by itself when it has at least this many
 * characters.
 */
const minLineLength = 16;

/** Returns every encoding to search for, without those shorter than `minLength`. */
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
  // Clients form-encode the id and the secret before they combine them into Basic credentials.
  const bases = new Set([text, percentEncode(text, kept.component), formEncode(text)]);
  for (const base of bases) yield* base64Spellings(Buffer.from(base, 'utf8'));
}

/** Escaped once and twice, and with all non-ASCII characters as `\u` sequences. */
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

/** Encodes byte by byte, because encodeURIComponent throws on a lone surrogate. */
function percentEncode(text: string, keep: RegExp): string {
  // Fast path: most tokens need no encoding.
  if (/^[\w.-]*$/.test(text)) return text;
  return Array.from(Buffer.from(text, 'utf8'), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 0x80 && keep.test(character) ? character : `%${hex(byte, 2).toUpperCase()}`;
  }).join('');
}

/**
 * The base64 form of the same bytes depends on the number of bytes before them, modulo three. Characters that
 * also depend on the preceding bytes are omitted. For those that depend on what follows, both variants
 * are included: before further bytes, and at the end of the input.
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
