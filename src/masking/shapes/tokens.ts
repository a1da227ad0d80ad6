/** Recognises tokens by their shape, wherever they appear. */

export const mask = '***';

const shapes = [
  String.raw`gh[oprsu]_\w{6,}`,
  String.raw`github_pat_\w{6,}`,
  String.raw`glpat-[\w-]{6,}`,
  String.raw`npm_[A-Za-z\d]{20,}`,
  String.raw`pypi-[\w-]{30,}`,
  // A digit is required, so that names such as sk-learn-something stay readable.
  String.raw`(?<![\w-])[sr]k[-_](?=[\w-]{0,80}\d)[\w-]{12,}`,
  String.raw`xox[a-z]-[\w-]{6,}`,
  String.raw`xapp-[\w-]{10,}`,
  String.raw`A(?:KI|SI)A[A-Z\d]{12,}`,
  String.raw`AIza[\w-]{30,}`,
  String.raw`ya29\.[\w-]{10,}`,
  String.raw`(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?`,
  String.raw`(?:hf|gsk|r8|ntn|figd|shpat|whsec|lin_api|dop_v1)_\w{16,}`,
  String.raw`(?:xai|pplx|tvly)-[\w-]{16,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
];
const tokens = new RegExp(String.raw`(?<![A-Za-z\d])(?:${shapes.join('|')})`, 'g');
const bearer = /(?<=\bBearer\s)[\w.~+/-]{8,}=*/gi;
const privateKey = /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*/g;

export function maskTokens(text: string): string {
  return text.replaceAll(tokens, mask).replaceAll(bearer, mask).replaceAll(privateKey, `$1${mask}`);
}

export function hasToken(text: string): boolean {
  return maskTokens(text) !== text;
}

/**
 * True for text with a long run of letters and digits that looks generated. Some services use it in a URL's
 * path as the only credential.
 */
export function isRandomLooking(text: string): boolean {
  const runs = text.match(/[A-Za-z\d]{24,}/g) ?? [];
  return runs.some((run) => /\d.*\d/.test(run) && /[A-Za-z].*[A-Za-z]/.test(run));
}
