import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCodePoints } from '../../../../../src/core/code-points.ts';
import { createRecordReader, type RecordReader } from '../../../../../src/executors/search/datasets/json-reader.ts';
import { parseRecord } from '../../../../../src/executors/search/datasets/json-record.ts';
import { createWalker } from '../../../../../src/executors/search/datasets/json-walk.ts';
import { keyText } from '../../../../../src/executors/search/datasets/keys.ts';
import { ScanError } from '../../../../../src/executors/search/scan-error.ts';
import { cases } from '../../../../support/oracle-runs.ts';

const KEY = 'k';

/** What a line says, by parsing all of it. */
function plainly(line: string, query: string): unknown {
  try {
    const { row, key } = parseRecord(line, 1, KEY);
    const names = Object.keys(row).sort(compareCodePoints);
    const name = names.find((one) => typeof row[one] === 'string' && row[one].includes(query));
    return { id: keyText(key), isText: typeof key === 'string', field: name === undefined ? undefined : { name, text: row[name] } };
  } catch (error) {
    if (error instanceof ScanError) return error.message;
    throw error;
  }
}

/** What the reader says of it. `around` stands before and behind it in the same bytes. */
function quickly(reader: RecordReader, line: string, around: string): unknown {
  const [before, text] = [Buffer.from(`${around}\n`), Buffer.from(line)];
  const bytes = Buffer.concat([before, text, Buffer.from(`\n${around}`)]);
  try {
    reader.read(bytes, before.length, before.length + text.length, 1);
    let written = '';
    reader.writtenKey((key, from, to) => {
      written = Buffer.from(key).toString('utf8', from, to);
    });
    expect(written).toBe(reader.id());
    expect(keyText(reader.key())).toBe(written);
    return { id: written, isText: reader.hasTextKey(), field: reader.matches() ? reader.field() : undefined };
  } catch (error) {
    if (error instanceof ScanError) return error.message;
    throw error;
  }
}

const TEXTS = ['', 'a', 'fade', 'xfa', 'é', '\u{1F600}', '\uFF5E', '\n', '"', '\\', '/', '\0', '\u007f', '\u2028', '\ufeff', 'x'.repeat(40)];
const text = fc.array(fc.constantFrom(...TEXTS), { maxLength: 4 }).map((pieces) => pieces.join(''));
/** The same text with some of its characters, astral ones as pairs, written as escapes. */
const written = fc.tuple(text, fc.nat(5)).map(([value, every]) => {
  const plain = JSON.stringify(value);
  if (every > 2) return plain;
  const body = value.replaceAll(/./gsu, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
    return every === 0 || character < ' ' || character === '"' || character === '\\' ? units : character;
  });
  return `"${every === 2 ? body.toUpperCase().replaceAll('\\U', '\\u') : body}"`;
});
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt(-(2n ** 70n), 2n ** 70n).map(String),
  fc.constantFrom('-0', '0', '0.0', '-0.0', '1.0', '1e0', '1E+2', '9007199254740993', '1e400', '-1e-400', '123456789012345', '1234567890123456', '0.1'),
  fc.constantFrom('01', '-', '1.', '.5', '+1', '1e', '0x1', 'NaN', 'Infinity', '-Infinity', `1${'0'.repeat(399)}`, `1${'0'.repeat(400)}`),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    written,
    number,
    fc.constantFrom(
      'true',
      'false',
      'null',
      'tru',
      'nullx',
      '{}',
      '[]',
      '[ ]',
      '{ }',
      '"\\ud800"',
      '"\\udc00x"',
      '"\\ud83d\\ude00"',
      '"\\\\ud800"',
      '"\\x"',
      '"\t"',
    ),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
    fc.array(fc.tuple(written, tie('value')), { maxLength: 3 }).map((members) => `{${members.map(([name, one]) => `${name} :${one}`).join(',')}}`),
  ),
}));
const name = fc.oneof(fc.constantFrom('"a"', '"b"', '"\uFF5E"', '"\u{1F600}"', '"__proto__"', '"\\u006b"', '"q\\"uote"', '"k"', '"1"', '""'), written);
const blank = fc.constantFrom('', '', ' ', '\t', '\r', '  ');
const line = fc
  .tuple(fc.array(fc.tuple(name, value), { maxLength: 4 }), fc.oneof(written, number), fc.nat(4), blank, fc.boolean())
  .map(([members, key, at, space, sane]) => {
    const all = [...members];
    all.splice(Math.min(at, all.length), 0, ['"k"', key]);
    const once = sane ? all.filter(([one], place) => all.findIndex(([other]) => other === one) === place) : all;
    return `${space}{${space}${once.map(([one, its]) => `${one}${space}:${its}`).join(`,${space}`)}${space}}${space}`;
  });
/** A slip of the pen in some of them. */
const slipped = fc
  .tuple(line, fc.nat(), fc.constantFrom('', '', '', '"', '\\', ',', '}', ']', '{', ':', '\u0001', ' ', '0', 'e', 'u'))
  .map(([one, at, what]) => {
    const place = what === '' ? 0 : at % (one.length + 1);
    return what === '' ? one : `${one.slice(0, place)}${what}${one.slice(place + (at % 2))}`;
  });
const query = fc.constantFrom('a', 'fa', 'fade', 'é', '\u{1F600}', '\uFF5E', '"', '\\', '/', '\n', 'n', 'u00', '\0', 'd8', 'absent');

describe('the reader of JSON Lines', () => {
  it('says of every line what parsing all of it says, and refuses it in the same words', { tags: ['SE-48'] }, () => {
    fc.assert(
      fc.property(fc.array(slipped, { minLength: 1, maxLength: 5 }), query, fc.constantFrom('', 'fade é " \\', 'a'), (lines, wanted, around) => {
        const reader = createRecordReader(KEY, wanted);
        // A lone surrogate that a slip has made cannot be in a file that is UTF-8.
        for (const one of lines.map((made) => made.toWellFormed())) expect(quickly(reader, one, around), one).toEqual(plainly(one, wanted));
      }),
      { numRuns: cases(600) },
    );
  });

  it('judges ordinary records by their bytes, without parsing them', () => {
    const { walk } = createWalker(KEY);
    const ordinary = [
      '{"k":1,"a":"x"}',
      ' { "k" : "one" , "a" : [1, {"b": "c\\n\\u00e9\\ud83d\\ude00"}, []], "c": -1.5e+3 } \r',
      '{"a":"größer \\"quoted\\"","k":12345678901234567890,"d":{},"e":true,"f":false,"g":null}',
      `{"k":1,${Array.from({ length: 200 }, (_, at) => `"m${at}":${at}`).join(',')}}`,
      `{"k":1,"a":${'['.repeat(512)}${']'.repeat(512)}}`,
    ];
    for (const one of ordinary) expect(walk(Buffer.from(`${one}\n`), 0), one).toBe(true);
    const odd = [
      '{"k":1,"k":2}',
      '{"\\u006b":1}',
      '{"k":"\\ud800"}',
      '{"k":1}x',
      '{"k":01}',
      '{"k":1,}',
      '[]',
      '{}',
      `{"k":${'['.repeat(600)}${']'.repeat(600)}}`,
    ];
    for (const one of odd) expect(walk(Buffer.from(`${one}\n`), 0), one).toBe(false);
  });

  it('reads nesting of any depth, and a member of any length', { tags: ['SE-48'] }, () => {
    const deep = `{"k":7,"a":${'['.repeat(100_000)}${']'.repeat(100_000)},"b":"fade"}`;
    const long = `{"k":7,"a":"${'é'.repeat(1_000_000)}fade"}`;
    for (const one of [deep, long]) expect(quickly(createRecordReader(KEY, 'fade'), one, '')).toEqual(plainly(one, 'fade'));
  });
});
