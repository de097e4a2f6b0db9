import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, parseStrictJson, parseStrictObject } from '../../../src/core/canonical-json.ts';
import { WritError } from '../../../src/core/errors.ts';
import { manifestSha256, sha256Hex } from '../../../src/core/hash.ts';
import { assertIJson } from '../../../src/core/i-json.ts';

/** What a call throws, as `code field`. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof WritError) return `${error.code} ${error.field ?? '-'}`;
    throw error;
  }
  return 'accepted';
}

const limits = { maxBytes: 4096 };

describe('canonical JSON', () => {
  it('writes the example of RFC 8785 section 3.2.2 as the RFC does', () => {
    const input = `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}`;
    // 1E30 is an integer beyond 2^53 - 1, which we refuse: the vector is shown with and without it.
    const value = JSON.parse(input.replace('1E30,', ''));
    expect(canonicalJson(value)).toBe(`{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`);
    expect(refusal(() => canonicalJson(JSON.parse(input)))).toBe('INVALID_MANIFEST numbers.1');
  });

  it('sorts keys by UTF-16 code units, as RFC 8785 section 3.2.3 shows', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
    expect(canonicalJson(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  it('writes each character as JSON does, in texts and names, however long they are and however many names were met', () => {
    for (let code = 0; code < 0x300; code += 1) {
      const character = String.fromCharCode(code);
      for (const text of [character, `${character}a`, `a${character}`, 'a'.repeat(255) + character, 'a'.repeat(256) + character]) {
        expect(canonicalJson(text)).toBe(JSON.stringify(text));
        for (let again = 0; again < 2; again += 1) expect(canonicalJson({ [text]: 1 })).toBe(JSON.stringify({ [text]: 1 }));
      }
    }
    for (const name of ['__proto__', '\ud800']) expect(refusal(() => canonicalJson(JSON.parse(`{${JSON.stringify(name)}:1}`)))).not.toBe('accepted');
  });

  it('refuses a name however often it is met', () => {
    for (const name of ['constructor', 'prototype', '\udc00x', '__proto__']) {
      const value: unknown = JSON.parse(`{"a":1,${JSON.stringify(name)}:1}`);
      for (let again = 0; again < 3; again += 1) expect(refusal(() => canonicalJson(value))).toMatch(/^INVALID_MANIFEST/);
    }
  });

  // IEEE 754 bit patterns and texts of RFC 8785 appendix B, those that are not large integers.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['433fffffffffffff', '9007199254740991'],
    ['c33fffffffffffff', '-9007199254740991'],
    ['3e7ad7f29abcaf48', '1e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
  ])('writes the double %s as %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it.each(['7fefffffffffffff', '4340000000000000', 'c340000000000000', '4430000000000000', '7ff0000000000000', '7fffffffffffffff'])(
    'refuses the double %s: no exact integer or not finite',
    (bits) => {
      expect(refusal(() => canonicalJson([Buffer.from(bits, 'hex').readDoubleBE()]))).toBe('INVALID_MANIFEST 0');
    },
  );

  it('hashes a manifest as python3 does with json.dumps(sort_keys, separators) and hashlib', () => {
    const manifest = {
      task_id: 'invoice-2026.001',
      capability_id: 'FILE_MOVE',
      inputs: { source_path: '/srv/in/é ü.txt', destination_path: '/srv/out/"q"\\b.txt' },
      constraints: { reversible: true, sensitivity: 'LOW' as const },
      provenance: { ast_hash: 'abc' },
    };
    // python3 -c 'import json,hashlib; print(hashlib.sha256(json.dumps(m,sort_keys=True,separators=(",",":"),ensure_ascii=False).encode()).hexdigest())'
    expect(manifestSha256(manifest)).toBe('1806bf225a39fc017aa3289c2d0cb650ea3a776d7c0ac2c4e80c452595217c64');
    expect(manifestSha256({ task_id: 'a', capability_id: 'FILE_DELETE', inputs: {}, constraints: {} })).toBe(
      'eba16f6e331ca815de3572b326b6e4a4b0107272721b4f2546921577ec7e847d',
    );
  });

  it('hashes text as its UTF-8 bytes', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('é')).toBe(createHash('sha256').update(Uint8Array.of(0xc3, 0xa9)).digest('hex'));
  });

  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  it.each<[string, unknown, string]>([
    ['a lone high surrogate', { a: ['x\ud800'] }, 'a.0'],
    ['a lone low surrogate', { a: '\udc00x' }, 'a'],
    ['surrogates in the wrong order', { a: '\udc00\ud800' }, 'a'],
    ['a lone surrogate in a key', { a: { 'k\ud800': 1 } }, 'a.k\ufffd'],
    ['__proto__', JSON.parse('{"a":{"__proto__":1}}'), 'a.__proto__'],
    ['constructor', { constructor: 1 }, 'constructor'],
    ['prototype', { a: [{ prototype: 1 }] }, 'a.0.prototype'],
    ['NaN', { a: Number.NaN }, 'a'],
    ['infinity', { a: [1, Number.NEGATIVE_INFINITY] }, 'a.1'],
    ['2^53', { a: 2 ** 53 }, 'a'],
    ['-2^53', { a: -(2 ** 53) }, 'a'],
    ['undefined in an object', { a: undefined }, 'a'],
    ['undefined in a list', [1, undefined], '1'],
    ['a hole in a list', new Array(2), '0'],
    ['a function', { a: () => 1 }, 'a'],
    ['a bigint', { a: 1n }, 'a'],
    ['a symbol', { a: Symbol('x') }, 'a'],
    ['a date', { a: new Date(0) }, 'a'],
    ['a map', { a: new Map() }, 'a'],
    ['bytes', { a: Buffer.from('x') }, 'a'],
    ['a toJSON function', { a: { toJSON: () => 1 } }, 'a.toJSON'],
    ['33 levels', nested(33), Array(32).fill('0').join('.')],
    ['a value that contains itself', cyclic, Array(32).fill('self').join('.')],
  ])('refuses %s and names the place', (_name, value, field) => {
    expect(refusal(() => canonicalJson(value))).toBe(`INVALID_MANIFEST ${field}`);
  });

  it('refuses a value without any JSON form', () => {
    expect(refusal(() => canonicalJson(undefined))).toBe('INVALID_MANIFEST -');
  });

  it('takes 32 levels, the largest integers and astral characters', () => {
    expect(canonicalJson(nested(32))).toHaveLength(65);
    expect(canonicalJson({ a: Number.MAX_SAFE_INTEGER, b: '\ud83d\ude00' })).toBe('{"a":9007199254740991,"b":"\ud83d\ude00"}');
  });
});

/** JSON values that are I-JSON, keys included. */
const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((s) => !/\p{Cs}/u.test(s));
const key = text.filter((k) => !['__proto__', 'constructor', 'prototype', 'toJSON'].includes(k));
const number = fc.double({ noDefaultInfinity: true, noNaN: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n));
const { value: ijson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    text,
    number,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([k, v]) => [k, shuffled(v)]),
  );
}

describe('properties of canonical JSON', () => {
  it('canonical text read and written again is itself, by both readers', () => {
    fc.assert(
      fc.property(ijson, (value) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
        expect(canonicalJson(parseStrictJson(canonical, { maxBytes: 1e6 }))).toBe(canonical);
      }),
    );
  });

  it('is what another implementation of RFC 8785 writes', () => {
    fc.assert(
      fc.property(ijson, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
    );
  });

  it('is refused for exactly what is no I-JSON, at the same place', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withMap: true, withNullPrototype: true, withBigInt: true }), (value) => {
        expect(refusal(() => canonicalJson(value, 3))).toBe(refusal(() => assertIJson(value, 3)));
      }),
    );
  });

  it('of the members of a document is had while it is read, and the reading refuses what the other one does', () => {
    const anyText = fc.oneof(
      ijson.map((value) => JSON.stringify(value)),
      fc.anything().map((value) => String(JSON.stringify(value))),
      fc.tuple(key, ijson, ijson).map(([name, a, b]) => `{${JSON.stringify(name)}:${JSON.stringify(a)},${JSON.stringify(name)}:${JSON.stringify(b)}}`),
    );
    fc.assert(
      fc.property(anyText, (json) => {
        const limit = { maxBytes: 1e5, maxDepth: 4 };
        expect(refusal(() => parseStrictObject(json, limit))).toBe(refusal(() => parseStrictJson(json, limit)));
        if (refusal(() => parseStrictJson(json, limit)) !== 'accepted') return;
        const value = parseStrictJson(json, limit);
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        const read = parseStrictObject(json, limit);
        expect(read?.value).toEqual(isObject ? value : undefined);
        expect(read && Object.fromEntries(read.forms)).toEqual(
          isObject ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, canonicalJson(member)])) : undefined,
        );
      }),
    );
  });

  it('is refused where the check alone refuses, with the same words, and nowhere else', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom(undefined, 2 ** 53, -0, 1n, new Date(0)),
      fc.object({ withNullPrototype: true }),
    );
    const named = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'a', 'b\ud800', 'c'), fc.oneof(ijson, odd));
    fc.assert(
      fc.property(fc.oneof(odd, named, fc.array(fc.oneof(named, odd))), fc.integer({ min: 1, max: 4 }), (value, depth) => {
        expect(refusal(() => canonicalJson(value, depth))).toBe(refusal(() => assertIJson(value, depth)));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(ijson, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('a key written twice anywhere is refused, however it is escaped', () => {
    fc.assert(
      fc.property(key, ijson, fc.boolean(), (name, value, escaped) => {
        const inner = JSON.stringify(name);
        const again = escaped
          ? `"${[...name].flatMap((c) => [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`)).join('')}"`
          : inner;
        const json = JSON.stringify(value);
        expect(refusal(() => parseStrictJson(`[${json},{${inner}:1, ${again} :${json}}]`, { maxBytes: 1e6 }))).toBe('INVALID_MANIFEST -');
        expect(refusal(() => parseStrictJson(`[${json},{${inner}:1},{${again}:${json}}]`, { maxBytes: 1e6 }))).toBe('accepted');
      }),
    );
  });
});

describe('strict JSON text', () => {
  it.each([
    ['a duplicate key', '{"a":1,"a":1}'],
    ['a duplicate key, escaped', '{"a":1,"\\u0061":1}'],
    ['a duplicate key far inside', '[{"x":{"a":":","b":2,"a":{}}}]'],
    ['a duplicate of a key whose first value had members', '{"a":{"b":1},"a":2}'],
    ['no JSON', '{a:1}'],
    ['nothing', ''],
    ['a trailing comma', '[1,]'],
    ['a rounded integer', '9007199254740993'],
    ['a number that overflows', '1e999'],
    ['an escaped lone surrogate', '"\\ud800"'],
    ['__proto__', '{"__proto__":{"x":1}}'],
    ['depth', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['a bomb of brackets', '['.repeat(4000)],
    ['too many bytes', `"${'é'.repeat(2048)}"`],
  ])('refuses %s', (_name, json) => {
    expect(refusal(() => parseStrictJson(json, limits))).toMatch(/^INVALID_MANIFEST /);
  });

  it('is not misled by colons, quotes and backslashes in strings', () => {
    const json = '{"a:\\":\\\\":":\\\\\\":","b":{"c":":::"},"":""}';
    expect(parseStrictJson(json, limits)).toEqual(JSON.parse(json));
  });
});
