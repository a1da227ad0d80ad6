/** What holt reads from the responses of the handshake. */

import { isSpecType, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import {
  envelopeOf,
  judgeProbe,
  readInitializeResult,
  statefulVersions,
  toInitializeResult,
  negotiatedBy,
} from './protocol.ts';

const answer = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true }, logging: {} },
  serverInfo: { name: 'it', version: '1', title: 'It' },
  instructions: 'Read me',
};

test('the versions are those of the SDK, the newest first', () => {
  const stateful = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < '2026');
  expect(statefulVersions).toEqual(stateful.toSorted().toReversed());
});

test('what a server says about itself is taken as it is', () => {
  const { protocolVersion: protocol, ...rest } = answer;
  expect(readInitializeResult(answer)).toEqual({ protocol, ...rest });
});

test.each([
  ['no capabilities', { ...answer, capabilities: undefined }, { capabilities: {} }],
  ['capabilities that are no objects', { ...answer, capabilities: { tools: true } }, { capabilities: {} }],
  [
    'a flag that is none',
    { ...answer, capabilities: { tools: { listChanged: 'yes', other: 1 } } },
    { capabilities: { tools: { other: 1 } } },
  ],
  ['a server without a version', { ...answer, serverInfo: { name: 'it' } }, { serverInfo: undefined }],
  ['instructions that are no text', { ...answer, instructions: 7 }, { instructions: undefined }],
])('%s cost only themselves, and the SDK can be told', (_, said, kept) => {
  const negotiated = readInitializeResult(said);
  expect(negotiated).toEqual({ ...readInitializeResult(answer), ...kept });
  expect(isSpecType.InitializeResult(toInitializeResult(negotiated))).toBe(true);
});

test.each(['2023-01-01', '', undefined, 7])('a version that is not spoken here is refused: %s', (version) => {
  expect(() => readInitializeResult({ ...answer, protocolVersion: version })).toThrow(
    `Server's protocol version is not supported: ${String(version)}`,
  );
});

test('a server of the stateless protocol is known by what its answer is signed with', () => {
  const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'it', version: '1' } };
  const discover = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, _meta: meta } as never; // the parts that count
  expect(negotiatedBy(discover)).toEqual({
    protocol: '2026-07-28',
    capabilities: { tools: {} },
    serverInfo: { name: 'it', version: '1' },
    instructions: undefined,
  });
});

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
