import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from '../../../src/core/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits }).filter((text) => !/^0+$/.test(text));

describe('a traceparent', () => {
  it('is read and written alike', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
        const context = { traceId, spanId, sampled };
        expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
      }),
    );
  });

  it('may be of a later version with more fields, and have flags that we do not know', () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-03-what-is-to-come`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-fe`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: false });
  });

  it.each([
    ['no text', 42],
    ['nothing', undefined],
    ['an object', { toString: () => `00-${TRACE}-${SPAN}-01` }],
    ['an empty text', ''],
    ['the version ff', `ff-${TRACE}-${SPAN}-01`],
    ['more fields in version 00', `00-${TRACE}-${SPAN}-01-more`],
    ['a later version whose next field has no dash', `cc-${TRACE}-${SPAN}-01more`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a line break at its end', `00-${TRACE}-${SPAN}-01\n`],
    ['space around it', ` 00-${TRACE}-${SPAN}-01`],
    ['a text without end', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(100_000)}`],
  ])('is none when it is %s', (_what, text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('never throws, and never lets through what is no id', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.string({ unit: 'binary' }),
          fc.string().map((text) => `00-${text}-${SPAN}-01`),
        ),
        (text) => {
          const context = parseTraceparent(text);
          if (context !== undefined) expect(context.traceId).toMatch(/^[0-9a-f]{32}$/);
        },
      ),
    );
  });
});
