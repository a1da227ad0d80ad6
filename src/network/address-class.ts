/** Classifies IP addresses and hosts: public, private, loopback, link-local or reserved. Pure. */

import net from 'node:net';

/**
 * `reserved` covers ranges without a usable internet host:
 * multicast, documentation, cloud metadata and similar.
 */
export type AddressClass = 'public' | 'private' | 'loopback' | 'link-local' | 'reserved';

type Ranges = readonly (readonly [network: string, prefix: number])[];

const ranges4: readonly (readonly [AddressClass, Ranges])[] = [
  ['loopback', [['127.0.0.0', 8]]],
  ['link-local', [['169.254.0.0', 16]]],
  [
    'private',
    [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10],
    ],
  ],
  [
    'reserved',
    [
      ['0.0.0.0', 8],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 4],
      ['240.0.0.0', 4],
      // Alibaba's metadata address is in the carrier-grade NAT range; the other clouds use link-local
      // addresses.
      ['100.100.100.200', 32],
    ],
  ],
];

const ranges6: readonly (readonly [AddressClass, Ranges])[] = [
  ['loopback', [['::1', 128]]],
  ['link-local', [['fe80::', 10]]],
  [
    'private',
    [
      ['fc00::', 7],
      ['fec0::', 10],
    ],
  ],
  [
    'reserved',
    [
      ['::', 128],
      ['100::', 64],
      ['2001::', 23],
      ['2001:db8::', 32],
      ['ff00::', 8],
      ['fd00:ec2::254', 128],
    ],
  ],
];

/** IPv6 prefixes that embed an IPv4 address, and the byte offset of that address. */
const embeddings: readonly (readonly [network: string, prefix: number, at: number])[] = [
  ['::ffff:0:0', 96, 12],
  ['::', 96, 12],
  ['64:ff9b::', 96, 12],
  ['64:ff9b:1::', 48, 12],
  ['2002::', 16, 2],
];

const lists = new Map<Ranges, net.BlockList>();

function isIn(address: string, type: 'ipv4' | 'ipv6', ranges: Ranges): boolean {
  const list = lists.get(ranges) ?? new net.BlockList();
  if (!lists.has(ranges)) for (const [network, prefix] of ranges) list.addSubnet(network, prefix, type);
  lists.set(ranges, list);
  return list.check(address, type);
}

export function classifyAddress(address: string): AddressClass {
  const bare = address.replace(/%.*$/, '');
  const family = net.isIP(bare);
  if (family === 4) return classIn(bare, 'ipv4', ranges4);
  if (family !== 6) return 'reserved';
  // Check the IPv6 ranges first: `::1` is loopback, not the embedded IPv4 address 0.0.0.1.
  const own = classIn(bare, 'ipv6', ranges6);
  if (own !== 'public') return own;
  const inner = embedded(bare);
  return inner === undefined ? own : classIn(inner, 'ipv4', ranges4);
}

function classIn(address: string, type: 'ipv4' | 'ipv6', table: typeof ranges4): AddressClass {
  // `reserved` comes last because it lists single addresses inside private ranges.
  return table.findLast(([, ranges]) => isIn(address, type, ranges))?.[0] ?? 'public';
}

const embeddingRanges = embeddings.map(([network, prefix, at]) => ({
  ranges: [[network, prefix]] as Ranges,
  at,
}));

function embedded(address: string): string | undefined {
  const found = embeddingRanges.find(({ ranges }) => isIn(address, 'ipv6', ranges));
  return found === undefined
    ? undefined
    : bytesOf(address)
        .slice(found.at, found.at + 4)
        .join('.');
}

/** The sixteen bytes of an IPv6 address. */
function bytesOf(address: string): readonly number[] {
  const text = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = text.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = tail === undefined ? left : [...left, ...middle, ...right];
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function groupsOf(part: string): string[] {
  return part.split(':').filter((group) => group !== '');
}

/**
 * Classifies a URL's host without a DNS lookup: a literal address, or a name that always means this machine.
 * Returns `undefined` for any other name.
 */
export function classifyHost(host: string): AddressClass | undefined {
  const bare = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (net.isIP(bare.replace(/%.*$/, '')) !== 0) return classifyAddress(bare);
  return bare === 'localhost' || bare.endsWith('.localhost') ? 'loopback' : undefined;
}
