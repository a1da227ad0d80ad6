/** Tests of the greeting without the SDK: the same versions, and nothing but what is what it should be. */

import { isSpecType, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { readWelcome, statefulVersions, toAnswer, welcomeOf } from './hello.ts';

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
  expect(readWelcome(answer)).toEqual({ protocol, ...rest });
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
  const welcome = readWelcome(said);
  expect(welcome).toEqual({ ...readWelcome(answer), ...kept });
  expect(isSpecType.InitializeResult(toAnswer(welcome))).toBe(true);
});

test.each(['2023-01-01', '', undefined, 7])('a version that is not spoken here is refused: %s', (version) => {
  expect(() => readWelcome({ ...answer, protocolVersion: version })).toThrow(
    `Server's protocol version is not supported: ${String(version)}`,
  );
});

test('a server of the stateless protocol is known by what its answer is signed with', () => {
  const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'it', version: '1' } };
  const discover = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, _meta: meta } as never; // the parts that count
  expect(welcomeOf(discover)).toEqual({
    protocol: '2026-07-28',
    capabilities: { tools: {} },
    serverInfo: { name: 'it', version: '1' },
    instructions: undefined,
  });
});
