import { describe, expect, it } from 'vitest';
import { broken, examine, passed, warning } from '../../../src/core/findings.ts';

describe('examine', () => {
  it('tells what each probe found, in the order of the probes', async () => {
    const found = await examine('Area', [
      { title: 'slow', look: async () => warning('little', 'get more'), todo: '' },
      { title: 'quick', look: () => passed('there'), todo: '' },
      { title: 'bad', look: () => broken('gone', 'bring it back'), todo: '' },
    ]);
    expect(found).toEqual([
      { area: 'Area', title: 'slow', level: 'warn', found: 'little', todo: 'get more' },
      { area: 'Area', title: 'quick', level: 'ok', found: 'there' },
      { area: 'Area', title: 'bad', level: 'fail', found: 'gone', todo: 'bring it back' },
    ]);
  });

  it('takes a probe that throws or rejects for something broken, with what to do about it', async () => {
    const thrown = () => {
      throw new Error('no such file');
    };
    expect(
      await examine('Area', [
        { title: 'throws', look: thrown, todo: 'make it' },
        { title: 'rejects', look: () => Promise.reject(new Error('refused')), todo: 'ask' },
      ]),
    ).toEqual([
      { area: 'Area', title: 'throws', level: 'fail', found: 'no such file', todo: 'make it' },
      { area: 'Area', title: 'rejects', level: 'fail', found: 'refused', todo: 'ask' },
    ]);
  });
});
