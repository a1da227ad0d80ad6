import { describe, expect, test } from 'vitest';

import { envelopeOf, judgeProbe } from './probe.ts';

const discover = {
  supportedVersions: ['2026-07-28', '2027-01-01'],
  capabilities: { tools: {} },
  resultType: 'complete',
};

describe('the answer to a probe', () => {
  test('that offers our version means stateless', () => {
    expect(judgeProbe({ kind: 'result', result: discover })).toEqual({ era: 'stateless', discover });
  });

  test.each([
    ['offers only others', { ...discover, supportedVersions: ['2027-01-01'] }],
    ['has no list of versions', { capabilities: {} }],
    ['has no capabilities', { supportedVersions: ['2026-07-28'] }],
    ['is empty', {}],
  ])('that %s means stateful', (_, result) => {
    expect(judgeProbe({ kind: 'result', result })).toEqual({ era: 'stateful' });
  });

  test.each([-32_601, -32_600, -32_602, -32_000, -32_001, -32_022, 0])(
    'that is the error %i means stateful',
    (code) => {
      expect(judgeProbe({ kind: 'error', code, data: undefined })).toEqual({ era: 'stateful' });
    },
  );

  test('that refuses our version and names it all the same is worth another try', () => {
    const refused = (supported: unknown) => judgeProbe({ kind: 'error', code: -32_022, data: { supported } });
    expect([refused(['2026-07-28']), refused(['2027-01-01']), refused('2026-07-28')]).toEqual([
      { era: 'again' },
      { era: 'stateful' },
      { era: 'stateful' },
    ]);
  });

  test.each([400, 404, 405, 406, 415, 422, 500, 501])('that is the status %i means stateful', (status) => {
    expect(judgeProbe({ kind: 'status', status })).toEqual({ era: 'stateful' });
  });

  test.each([401, 403, 407, 408, 429, 502, 503, 504, 302])(
    'that is the status %i says nothing about the protocol',
    (status) => {
      expect(judgeProbe({ kind: 'status', status })).toEqual({ era: 'unknown' });
    },
  );
});

test('a request of the stateless protocol says who sends it', () => {
  expect(envelopeOf({ info: { name: 'holt', version: '1' }, capabilities: { roots: {} } })).toEqual({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'holt', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { roots: {} },
  });
});
