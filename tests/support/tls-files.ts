/** Certificates made on demand: an authority, and certificates it signs for any name and time. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface Pair {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Authority {
  readonly caFile: string;
  /** `from` and `to` are days from today. */
  sign(host: string, from: number, to: number): Pair;
}

export function createAuthority(folder: string): Authority {
  const own = (name: string): string => path.join(folder, name);
  const run = (...args: readonly string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const subject = (name: string): string => `/CN=${name}`;
  run(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '30',
    '-subj',
    subject('Test Authority'),
  );
  fs.writeFileSync(own('index.txt'), '');
  fs.writeFileSync(
    own('ca.cnf'),
    '[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=any\nunique_subject=no\ncopy_extensions=copy\n[any]\ncommonName=supplied\n',
  );
  let count = 0;
  return {
    caFile: own('ca.pem'),
    sign: (host, from, to) => {
      const name = `c${(count += 1)}`;
      run(
        'req',
        '-new',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        subject(host),
        '-addext',
        `subjectAltName=${altName(host)}`,
      );
      run(
        'ca',
        '-batch',
        '-config',
        'ca.cnf',
        '-cert',
        'ca.pem',
        '-keyfile',
        'ca.key',
        '-in',
        `${name}.csr`,
        '-out',
        `${name}.pem`,
        '-startdate',
        day(from),
        '-enddate',
        day(to),
      );
      return { certFile: own(`${name}.pem`), keyFile: own(`${name}.key`) };
    },
  };
}

export function selfSigned(folder: string, host: string): Pair {
  const pair = { certFile: path.join(folder, 'self.pem'), keyFile: path.join(folder, 'self.key') };
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      pair.keyFile,
      '-out',
      pair.certFile,
      '-days',
      '2',
      '-subj',
      `/CN=${host}`,
      '-addext',
      `subjectAltName=${altName(host)}`,
    ],
    { stdio: 'pipe' },
  );
  return pair;
}

function altName(host: string): string {
  return /^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`;
}

function day(offset: number): string {
  const iso = new Date(Date.now() + offset * 86_400_000).toISOString();
  return `${iso.replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
}
