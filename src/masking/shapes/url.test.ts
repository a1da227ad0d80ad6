/** What is masked in URLs. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { maskUrl } from './text.ts';

describe('maskUrl', () => {
  test.each([
    ['https://x.example/mcp', 'https://x.example/mcp'],
    ['https://u:p@x.example:8443/mcp', 'https://***@x.example:8443/mcp'],
    ['https://ghp_abcdef123456@x.example/', 'https://***@x.example/'],
    ['https://x.example/mcp?key=abc&page=1#top', 'https://x.example/mcp?key=***&page=***#top'],
    ['https://x.example/mcp?flag&token=', 'https://x.example/mcp?flag&token='],
    ['https://x.example/cb#access_token=abc&state=1', 'https://x.example/cb#access_token=***&state=***'],
    ['https://x.example/s/ZjA4YmQzNTUtYTc2YS00ZDI3LTk0ZTc/mcp', 'https://x.example/s/***/mcp'],
    [
      'https://x.example/a-very-long-name-of-a-service-in-2026/mcp',
      'https://x.example/a-very-long-name-of-a-service-in-2026/mcp',
    ],
    [
      'https://x.example/3f2504e0-4f89-11d3-9a0c-0305e82c3301',
      'https://x.example/3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    ],
    ['wss://x.example/?ZjA4YmQzNTUtYTc2YS00ZDI3LTk0ZTc', 'wss://x.example/?***'],
  ])('%s is shown as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  test.each([
    'https://${USER}:${PASS}@x.example/mcp?key=${KEY}',
    'https://x.example/mcp?a={env:A}&b=${input:b}&c=$C&d=${{ secrets.D }}&e=%E%',
    '${BASE_URL}/mcp',
    '{env:URL}',
    'wss://x.example:${PORT}/',
  ])('placeholders stay in %s', (url) => {
    expect(maskUrl(url)).toBe(url);
  });

  test.each([
    ['https://x.example/?k=${KEY:-a&b?c#d}&l=1', 'https://x.example/?k=${KEY:-***}&l=***'],
    ['https://${USER}:literal@x.example/', 'https://${USER}:***@x.example/'],
    ['https://x.example/?k=v1.${KEY}', 'https://x.example/?k=***${KEY}'],
  ])('what is literal beside a placeholder does not stay: %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  test.each([
    ['https://user:pa/ss@x.example/mcp', 'https://***@x.example/mcp'],
    ['https://user:pa?ss@x.example/mcp', 'https://***@x.example/mcp'],
    ['https://user:pa#ss@x.example/mcp', 'https://***@x.example/mcp'],
    ['user:pass@x.example/mcp?k=v', 'user:***@x.example/mcp?k=***'],
    ['x.example/mcp?k=v', 'x.example/mcp?k=***'],
    ['//u:p@x.example/?k=v', '//***@x.example/?k=***'],
    ['https:/u:p@x.example', 'https:/***@x.example'],
    ['not a url at all', 'not a url at all'],
    ['', ''],
  ])('text that is no proper URL is masked too: %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  test('T11: the host that would be reached is never taken for user-info', () => {
    expect(maskUrl(String.raw`https://evil.example\@good.example/`)).toBe(
      String.raw`https://evil.example\@good.example/`,
    );
    expect(maskUrl('https://evil.example/@good.example/')).toBe('https://evil.example/@good.example/');
    const part = fc.string({
      unit: fc.constantFrom('a', '@', ':', '/', '\\', '?', '#', '.', '%', '&', '='),
      maxLength: 12,
    });
    fc.assert(
      fc.property(part, part, (left, right) => {
        const url = `https://h${left}.x${right}`;
        fc.pre(URL.canParse(url));
        expect(maskUrl(url).toLowerCase()).toContain(new URL(url).hostname.replaceAll('%', ''));
      }),
    );
  });

  test('T25: user-info and query values of a real URL never stay', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9]{3,12}$/).map((text) => `Q${text}Q`);
    fc.assert(
      fc.property(word, word, word, (user, password, value) => {
        const shown = maskUrl(`https://${user}:${password}@x.example/mcp?k=${value}`);
        expect(shown).toBe('https://***@x.example/mcp?k=***');
      }),
    );
  });
});
