import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowList, canonicalHost } from '../../../../src/adapters/http-tool/addresses.ts';
import { parseTarget } from '../../../../src/adapters/http-tool/target.ts';

const nothing = allowList([], 'allow');

/** Addresses as a resolver may answer them, and the range that is no business of a tool. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['127.0.0.1', 'loopback'],
  ['127.1.2.3', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['169.254.0.1', 'linkLocal'],
  ['169.254.169.254', 'linkLocal'],
  ['100.64.0.1', 'carrierGradeNat'],
  ['100.100.100.200', 'carrierGradeNat'],
  ['100.127.255.255', 'carrierGradeNat'],
  ['192.0.0.1', 'reserved'],
  ['192.0.0.192', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['198.51.100.1', 'reserved'],
  ['203.0.113.1', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['168.63.129.16', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::ffff:127.0.0.1', 'ipv4Mapped'],
  ['::ffff:7f00:1', 'ipv4Mapped'],
  ['::ffff:10.0.0.1', 'ipv4Mapped'],
  ['::ffff:169.254.169.254', 'ipv4Mapped'],
  ['::ffff:8.8.8.8', 'ipv4Mapped'],
  ['::ffff:0:127.0.0.1', 'rfc6145'],
  ['64:ff9b::127.0.0.1', 'rfc6052'],
  ['64:ff9b::a9fe:a9fe', 'rfc6052'],
  ['64:ff9b:1::1', 'rfc6052'],
  ['2002:7f00:1::', '6to4'],
  ['2002:a00:1::1', '6to4'],
  ['2001::1', 'teredo'],
  ['2001:0:7f00:1::', 'teredo'],
  ['fe80::1', 'linkLocal'],
  ['febf::1', 'linkLocal'],
  ['fec0::1', 'deprecatedSiteLocal'],
  ['fc00::1', 'uniqueLocal'],
  ['fd00:ec2::254', 'uniqueLocal'],
  ['ff02::1', 'multicast'],
  ['2001:db8::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['100::1', 'discard'],
  ['::127.0.0.1', 'ipv4Mapped'],
  ['::2', 'reserved'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'segmentRouting'],
  ['2001:10::1', 'deprecatedOrchid'],
  ['2001:20::1', 'orchid2'],
  // No address at all, whatever some libraries make of it.
  ['0177.0.0.1', 'no address'],
  ['0x7f.0.0.1', 'no address'],
  ['0x7f000001', 'no address'],
  ['2130706433', 'no address'],
  ['127.1', 'no address'],
  ['127.0.1', 'no address'],
  ['017700000001', 'no address'],
  ['127.0.0.1.', 'no address'],
  ['127.0.0.01', 'no address'],
  ['１２７.0.0.1', 'no address'],
  ['127。0。0。1', 'no address'],
  [' 127.0.0.1', 'no address'],
  ['fe80::1%eth0', 'no address'],
  ['::1%lo', 'no address'],
  ['[::1]', 'no address'],
  ['localhost', 'no address'],
  ['', 'no address'],
];

describe('an address', () => {
  it.each(REFUSED)('%s is refused (%s)', (address, range) => {
    expect(nothing.refuses('tool.example', address)).toBe(range);
  });

  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '172.32.0.1', '192.167.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])('%s is public', (address) => {
    expect(nothing.refuses('tool.example', address)).toBeUndefined();
  });

  it('is judged by its number alone, so no IPv6 form that carries an IPv4 address is public', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const form of [`::ffff:${address}`, `::${address}`, `64:ff9b::${address}`, `::ffff:0:${address}`])
          expect(nothing.refuses('h', form)).toBeDefined();
      }),
    );
  });

  it('is allowed by a CIDR range for every host, and by a host name only where that means a private network', () => {
    const allow = allowList(['10.1.0.0/16', '::1', '127.0.0.1', 'intranet.example'], 'allow');
    expect(allow.refuses('any.example', '10.1.2.3')).toBeUndefined();
    expect(allow.refuses('any.example', '10.2.0.1')).toBe('private');
    expect(allow.refuses('any.example', '::1')).toBeUndefined();
    expect(allow.refuses('any.example', '::ffff:127.0.0.1')).toBe('ipv4Mapped');
    expect(allow.refuses('intranet.example', '192.168.1.1')).toBeUndefined();
    expect(allow.refuses('intranet.example', 'fd00::1')).toBeUndefined();
    for (const address of ['169.254.169.254', '0.0.0.0', '224.0.0.1', '::ffff:10.0.0.1']) expect(allow.refuses('intranet.example', address)).toBeDefined();
    expect([allow.plain('intranet.example'), allow.plain('127.0.0.1'), allow.plain('[::1]'), allow.plain('any.example')]).toEqual([true, true, true, false]);
  });
});

describe('a host of a binding', () => {
  it.each([
    '0177.0.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '127.1',
    '017700000001',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    'Example.com',
    'exa mple',
    'a@b',
    'example.com.',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '::1',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
    'bücher.example',
    '',
    'a:80',
    '%6c%6f',
  ])('%j is refused: it is not what a URL has', (host) => {
    expect(() => canonicalHost(host, 'hosts.0')).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field: 'hosts.0' }));
  });

  it.each(['example.com', '127.0.0.1', '[::1]', 'xn--bcher-kva.example', 'a-b.example'])('%s is one', (host) => {
    expect(canonicalHost(host, 'hosts.0')).toBe(host);
  });

  it.each([
    'http://tool.example/',
    'https://user@tool.example/',
    'https://tool.example/?a=b',
    'https://tool.example/#x',
    'https://{{params.host}}/',
    'https://tool.example{{params.x}}/',
    'https://tool.example:{{params.port}}/',
    '{{params.scheme}}://tool.example/',
    'https://tool.example:0/',
    'https://tool.example:65536/',
    'https://tool.example:0443/',
    'https:\\\\tool.example/',
    'https://tool.example\\@other/',
    'ftp://tool.example/',
    'file:///etc/passwd',
    '//tool.example/',
    'https://2130706433/',
    'https://tool.example /',
  ])('cannot be smuggled into a URL: %s', (url) => {
    expect(() => parseTarget(url, nothing, 'url')).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field: 'url' }));
  });

  it('may be spoken to in plain HTTP only when it is allowed', () => {
    expect(parseTarget('http://127.0.0.1:8080/a', allowList(['127.0.0.0/8'], 'allow'), 'url')).toEqual({
      secure: false,
      host: '127.0.0.1',
      port: 8080,
      path: '/a',
    });
    expect(parseTarget('https://tool.example', nothing, 'url')).toEqual({ secure: true, host: 'tool.example', port: 443, path: '/' });
  });
});
