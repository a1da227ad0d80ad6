/** The smallest valid contents of each kind. */

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

export const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' };
export const sound = { type: 'audio' as const, data: silence, mimeType: 'audio/wav' };

export function text(content: string) {
  return { type: 'text' as const, text: content };
}
