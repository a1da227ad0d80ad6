import { describe, expect, test } from 'vitest';

import {
  answerTable,
  issuer,
  metadata,
  metadataRoute,
  resource,
  resourceRoute,
  targetFor,
} from '../../../tests/support/login-flows.ts';
import { discoverLogin } from './discover.ts';
import { coversResource } from './server-metadata.ts';

const usual = { [resourceRoute]: resource, [metadataRoute]: metadata() };

describe('the login server', () => {
  test('is named by the server, and checked against its own metadata', async () => {
    const { fetch, asked } = answerTable({
      ...usual,
      [resourceRoute]: { ...resource, scopes_supported: ['a', 'b'] },
    });
    expect(await discoverLogin(targetFor(), fetch)).toMatchObject({
      issuer,
      isKnown: true,
      resource: 'https://shop.test/mcp',
      resourceScopes: 'a b',
    });
    expect(asked.map(({ route }) => route)).toEqual([resourceRoute, metadataRoute]);
  });

  test('is found in a document that the rejection names, on the same origin', async () => {
    const place = 'https://shop.test/custom/metadata';
    const { fetch } = answerTable({ [`GET ${place}`]: resource, [metadataRoute]: metadata() });
    const challenge = { resourceMetadataUrl: new URL(place) };
    expect(await discoverLogin(targetFor(), fetch, { challenge })).toMatchObject({ issuer });
  });

  test('T33: is not taken from a document of another origin', async () => {
    const place = 'https://evil.test/metadata';
    const { fetch, asked } = answerTable({ ...usual, [`GET ${place}`]: resource });
    await discoverLogin(targetFor(), fetch, { challenge: { resourceMetadataUrl: new URL(place) } });
    expect(asked.map(({ route }) => route)).toEqual([resourceRoute, metadataRoute]);
  });

  test('is the server itself when it names none, and its paths are guessed last', async () => {
    const { fetch } = answerTable({});
    const found = await discoverLogin(targetFor(), fetch);
    expect(found).toMatchObject({
      issuer: 'https://shop.test',
      isKnown: false,
      resource: 'https://shop.test/mcp',
      metadata: {
        token_endpoint: 'https://shop.test/token',
        registration_endpoint: 'https://shop.test/register',
      },
    });
  });

  test('is not guessed while the server fails', async () => {
    const { fetch } = answerTable({ ...usual, [resourceRoute]: 500 });
    await expect(discoverLogin(targetFor(), fetch)).rejects.toThrow('answered 500');
  });

  test('is only the one that the user configures, if any', async () => {
    const { fetch } = answerTable(usual);
    await expect(
      discoverLogin(targetFor({ oauth: { issuer: 'https://other.test' } }), fetch),
    ).rejects.toThrow('no longer names https://other.test');
    expect(await discoverLogin(targetFor({ oauth: { issuer } }), fetch)).toMatchObject({ issuer });
  });

  test('stays the same while the server still names it', async () => {
    const second = 'https://second.test';
    const { fetch } = answerTable({
      [resourceRoute]: { ...resource, authorization_servers: [issuer, second] },
      [`GET ${second}/.well-known/oauth-authorization-server`]: metadata({
        issuer: second,
        authorization_endpoint: `${second}/a`,
      }),
    });
    expect(await discoverLogin(targetFor(), fetch, { known: second })).toMatchObject({ issuer: second });
  });
});

describe('T36: metadata is rejected', () => {
  test.each([
    ['of another issuer', { issuer: 'https://evil.test' }, 'another issuer'],
    ['of an issuer with one slash more', { issuer: `${issuer}/` }, 'another issuer'],
    [
      'that joins an honest page to a foreign token endpoint',
      { authorization_endpoint: 'https://honest.test/a' },
      'neither to the issuer',
    ],
    [
      'T47: with a token endpoint without TLS',
      { token_endpoint: 'http://login.test/token' },
      'neither https',
    ],
    ['T32: with a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }, 'neither https'],
    ['that is not complete', { token_endpoint: 7 }, 'not complete'],
  ])('%s', async (_, change, words) => {
    const { fetch } = answerTable({ ...usual, [metadataRoute]: metadata(change) });
    await expect(discoverLogin(targetFor(), fetch)).rejects.toThrow(words);
  });

  test('unless the user names the issuer whose page is elsewhere', async () => {
    const change = { authorization_endpoint: 'https://honest.test/a' };
    const { fetch } = answerTable({ ...usual, [metadataRoute]: metadata(change) });
    expect(await discoverLogin(targetFor({ oauth: { issuer } }), fetch)).toMatchObject({ issuer });
  });
});

describe('the resource that tokens are for', () => {
  test.each([
    [undefined, 'https://shop.test/mcp'],
    ['auto', 'https://shop.test/mcp'],
    ['omit', undefined],
    ['urn:shop', 'urn:shop'],
  ])('is, for the configured value %s, %s', async (configured, expected) => {
    const { fetch } = answerTable(usual);
    const oauth = configured === undefined ? {} : { resource: configured };
    expect((await discoverLogin(targetFor({ oauth }), fetch)).resource).toBe(expected);
  });

  test('cannot be chosen by a project', async () => {
    const { fetch } = answerTable(usual);
    const target = targetFor({ oauth: { resource: 'omit' }, sharing: 'p' });
    expect((await discoverLogin(target, fetch)).resource).toBe('https://shop.test/mcp');
  });

  test('is sent as published, without an added slash', async () => {
    const { fetch } = answerTable({
      ...usual,
      [resourceRoute]: { ...resource, resource: 'https://shop.test' },
    });
    expect((await discoverLogin(targetFor(), fetch)).resource).toBe('https://shop.test');
  });

  test('is not that of another server', async () => {
    const { fetch } = answerTable({
      ...usual,
      [resourceRoute]: { ...resource, resource: 'https://other.test/mcp' },
    });
    await expect(discoverLogin(targetFor(), fetch)).rejects.toThrow('for another place');
  });

  test.each([
    ['https://api.example.com', 'https://api.example.com/mcp', true],
    ['https://api.example.com/mcp', 'https://api.example.com/mcp', true],
    ['https://api.example.com/mc', 'https://api.example.com/mcp', false],
    ['https://api.example.com', 'https://api.example.com.evil/mcp', false],
    ['https://api.example.com.evil/mcp', 'https://api.example.com/mcp', false],
    ['http://api.example.com/mcp', 'https://api.example.com/mcp', false],
    ['not a url', 'https://api.example.com/mcp', false],
  ])('T85: %s covers %s: %s', (given, url, expected) => {
    expect(coversResource(given, new URL(url))).toBe(expected);
  });
});
