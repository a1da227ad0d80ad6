/**
 * Recognises names of variables, headers and flags that hold secrets. Names are compared word by word, so
 * `MONKEY` does not match `key`.
 */

/** Words that mean a secret even at the end of a longer word: `authtoken`, `PGPASSWORD`. */
const secretEnding =
  /(?:token|secrets?|password|passwd|passphrase|passcode|pwd|credentials?|creds|(?:api|access|secret|private|auth|shared|master|signing|encryption|account|subscription|license|service)keys?)$/;
const secretWords = new Set([
  'key',
  'keys',
  'auth',
  'oauth',
  'authorization',
  'authentication',
  'pass',
  'pat',
  'jwt',
  'bearer',
  'cookie',
  'cookies',
  'sig',
  'signature',
]);
/**
 * Last words that make a name refer to something about a secret: `TOKEN_FILE`, `--api-key-env`, `AUTH_URL`.
 */
const aboutWords = new Set(
  (
    'url uri endpoint file path dir folder type method mode id name host port enabled disabled required ttl expiry ' +
    'expires expiration prefix scope scopes issuer audience realm sock limit length size count env var variable ' +
    'algorithm alg provider server service flow timeout store helper command user username'
  ).split(' '),
);
/** Names to which git and shells give another meaning. */
const wellKnownPlain = /^(?:PWD|OLDPWD|GIT_CONFIG_KEY_\d+)$/;
const switchWords = new Set([
  'no',
  'disable',
  'enable',
  'skip',
  'require',
  'allow',
  'use',
  'with',
  'without',
]);

export function isSecretName(name: string): boolean {
  if (wellKnownPlain.test(name)) return false;
  const words = wordsOf(name);
  if (aboutWords.has(words.at(-1) ?? '')) return false;
  return words.some((word, index) => isSecretWord(word, words[index - 1]));
}

/** True for a flag whose value is a secret. Flags such as `--no-auth` take no value. */
export function isSecretFlag(flag: string): boolean {
  return isSecretName(flag) && !switchWords.has(wordsOf(flag)[0] ?? '');
}

/** True for names where a short plain value is more likely a setting than a secret: `KEY`, `AUTH`. */
export function isVagueName(name: string): boolean {
  const vague = new Set(['key', 'keys', 'auth', 'oauth', 'authentication', 'sig', 'signature']);
  const words = wordsOf(name);
  const plain = words.filter((word, index) => isSecretWord(word, words[index - 1]) && !vague.has(word));
  return plain.length === 0 && !/(?:api|access|private|secret).?key/i.test(name);
}

/** True for names of connection strings, which may contain a password. */
export function isConnectionName(name: string): boolean {
  return wordsOf(name).some((word) => ['dsn', 'connection', 'conn', 'connstr'].includes(word));
}

function isSecretWord(word: string, before: string | undefined): boolean {
  if (word.startsWith('key') && (before === 'public' || before === 'publishable')) return false;
  return secretWords.has(word) || secretEnding.test(word);
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}
