import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_MAX_BYTES, FRAMES, type FrameKind, frameCutter, frameOf } from '../../../../../src/surfaces/cli/resident/frames.ts';

const kinds = Object.keys(FRAMES) as FrameKind[];

describe('frames', () => {
  it('come out as they went in, wherever the stream is cut', () => {
    const frames = fc.array(fc.record({ kind: fc.constantFrom(...kinds), body: fc.uint8Array({ maxLength: 40 }) }), { maxLength: 8 });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }), (sent, steps) => {
        const stream = Buffer.concat(sent.map(({ kind, body }) => frameOf(kind, body)));
        const cut = frameCutter();
        const got = [];
        for (let at = 0, step = 0; at < stream.length; step += 1) {
          const length = steps[step % steps.length] ?? 1;
          for (const { kind, body } of cut(stream.subarray(at, at + length)) ?? []) got.push({ kind, body: [...body] });
          at += length;
        }
        expect(got).toEqual(sent.map(({ kind, body }) => ({ kind, body: [...body] })));
      }),
    );
  });

  it('carry the longest body, in pieces, and none that is longer', () => {
    const cut = frameCutter();
    const frame = frameOf('stdout', Buffer.alloc(FRAME_MAX_BYTES, 'x'));
    expect(cut(frame.subarray(0, 70_000))).toEqual([]);
    expect(cut(frame.subarray(70_000))?.map(({ body }) => body.length)).toEqual([FRAME_MAX_BYTES]);
    expect(frameCutter()(frameOf('stdout', Buffer.alloc(FRAME_MAX_BYTES + 1)))).toBeUndefined();
  });

  it('of a kind that nobody knows end the reading', () => {
    expect(frameCutter()(Buffer.from([99, 0, 0, 0, 0]))).toBeUndefined();
  });

  it('that claim a length which never comes are not waited for', () => {
    const head = Buffer.alloc(5);
    head[0] = FRAMES.stdout;
    head.writeUInt32LE(0xffff_ffff, 1);
    expect(frameCutter()(Buffer.concat([head, Buffer.alloc(FRAME_MAX_BYTES)]))).toBeUndefined();
  });
});
