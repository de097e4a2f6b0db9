/** What travels between a command and the process that runs it; a kind is its first byte, its length the next four. */
export const FRAMES = {
  /** The call (JSON), first of all. */
  call: 1,
  /** The bytes of the input that the call names, after it. */
  input: 2,
  /** The person has asked to stop. */
  interrupt: 3,
  /** It will be run, here and not by who asked. */
  accepted: 16,
  /** It will not, and nothing was done: who asked runs it. */
  refused: 17,
  /** From here on Ctrl-C asks the command to stop, and ends nothing. */
  heeds: 18,
  stdout: 19,
  stderr: 20,
  /** The exit code, one byte, last of all. */
  exit: 21,
} as const;

export type FrameKind = keyof typeof FRAMES;

export interface Frame {
  readonly kind: FrameKind;
  readonly body: Buffer;
}

const HEAD_BYTES = 5;
const KINDS = new Map<number, FrameKind>(Object.entries(FRAMES).map(([name, byte]) => [byte, name as FrameKind]));

export function frameOf(kind: FrameKind, body: string | Uint8Array = ''): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
  frame[0] = FRAMES[kind];
  frame.writeUInt32LE(bytes.length, 1);
  frame.set(bytes, HEAD_BYTES);
  return frame;
}

/** Bytes of a body at most: longer texts travel in several frames. */
export const FRAME_MAX_BYTES = 1024 * 1024;

/** Cuts what comes into frames. `undefined`: an unknown kind, or a body that is too long. */
export function frameCutter(): (piece: Buffer) => readonly Frame[] | undefined {
  let pieces: Buffer[] = [];
  let length = 0;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    // A long frame is put together once, and not with every piece of it.
    if (length < firstLength(pieces[0])) return [];
    let bytes = Buffer.concat(pieces, length);
    const frames: Frame[] = [];
    while (bytes.length >= HEAD_BYTES) {
      const kind = KINDS.get(bytes[0] ?? 0);
      const size = bytes.readUInt32LE(1);
      if (kind === undefined || size > FRAME_MAX_BYTES) return undefined;
      if (bytes.length < HEAD_BYTES + size) break;
      frames.push({ kind, body: bytes.subarray(HEAD_BYTES, HEAD_BYTES + size) });
      bytes = bytes.subarray(HEAD_BYTES + size);
    }
    pieces = bytes.length === 0 ? [] : [bytes];
    length = bytes.length;
    return frames;
  };
}

/** Bytes of the frame that begins here, as far as they are known. Neither what is no frame nor a length that lies is waited for. */
function firstLength(start: Buffer | undefined): number {
  return start === undefined || start.length < HEAD_BYTES || !KINDS.has(start[0] ?? 0)
    ? HEAD_BYTES
    : HEAD_BYTES + Math.min(start.readUInt32LE(1), FRAME_MAX_BYTES);
}
