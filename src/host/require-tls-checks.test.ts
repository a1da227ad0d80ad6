import { expect, test } from 'vitest';

import { openHostFixture } from '../../tests/support/host-fixture.ts';

const off = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

test('T47: with certificates unchecked by the environment no host is opened for a server behind TLS', async () => {
  await using world = await openHostFixture();
  const servers = { far: { url: 'https://far.test/mcp' } };
  await expect(world.open({ env: off, servers })).rejects.toMatchObject({
    code: 'usage-invalid',
    message:
      'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the checking of certificates, and "far" is reached over TLS',
    remedy:
      'Unset NODE_TLS_REJECT_UNAUTHORIZED. For an authority of your own set NODE_EXTRA_CA_CERTS, or tls.caFile in the entry of the server.',
  });
});

test.each([
  [
    'the variable says something else',
    { env: { NODE_TLS_REJECT_UNAUTHORIZED: '1' }, url: 'https://far.test' },
  ],
  ['it is switched off', { env: off, url: 'https://far.test', disabled: true }],
  ['it is reached without TLS', { env: off, url: 'http://127.0.0.1:1/mcp' }],
])('one is opened when %s', async (_, { env, ...entry }) => {
  await using world = await openHostFixture();
  const host = await world.open({ env, servers: { far: entry } });
  expect(Object.keys(host.status())).toEqual(['far']);
});
