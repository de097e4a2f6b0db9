import type { MessageStructureObject } from 'imapflow';
import { plainType } from './mime-header.ts';
import { createWindow, type FetchBytes, type Window } from './window.ts';

export interface LargeLimits {
  /** How much is fetched at a time where a part ends or begins. */
  readonly stepBytes: number;
  /** How much is fetched at a time of what is passed on. */
  readonly pieceBytes: number;
  /** Attachments below this size cost less than the round trip that leaves them out. */
  readonly skipBytes: number;
}

/** Types in which no search looks. Text and messages within messages are never left out, whatever their disposition. */
const NEVER_TEXT = /^(?:application|audio|font|image|model|video)\//;
const LONGEST_HEADER = 256 * 1024;

/** Whether a message has anything that is worth leaving out. */
export function hasAttachments(node: MessageStructureObject, { skipBytes }: Pick<LargeLimits, 'skipBytes'>): boolean {
  const type = node.type.toLowerCase();
  if (NEVER_TEXT.test(type)) return (node.size ?? 0) >= skipBytes;
  return type.startsWith('multipart/') && (node.childNodes ?? []).some((child) => hasAttachments(child, { skipBytes }));
}

/**
 * A large message in pieces, without the bytes of its attachments: everything else is passed on as it stands. The server's
 * BODYSTRUCTURE says where attachments may lie; each is left out only when the message itself shows the same (a delimiter
 * line, a header whose type is beyond doubt, and again a delimiter behind it). At the first difference everything from there
 * on is passed on, so what a search finds is the same as in the whole message.
 *
 * @param first the first `stepBytes` of the message
 */
export async function* withoutAttachments(
  fetch: FetchBytes,
  first: Uint8Array,
  structure: MessageStructureObject | undefined,
  limits: LargeLimits,
): AsyncGenerator<Uint8Array> {
  const window = createWindow(fetch, first, limits.stepBytes);
  if (structure !== undefined) yield* part(window, structure, [], limits);
  yield* rest(window, limits);
}

/** Passes on a part behind its delimiter, up to and without the line break before the next. False: it is not as the structure says. */
async function* part(window: Window, node: MessageStructureObject, outer: readonly string[], limits: LargeLimits): AsyncGenerator<Uint8Array, boolean> {
  const header = await headerSize(window, limits);
  if (header === undefined) return false;
  const said = plainType(window.bytes().toString('latin1', 0, header));
  yield window.take(header);
  const type = node.type.toLowerCase();
  if (type.startsWith('multipart/')) {
    const boundary = node.parameters?.['boundary'];
    if (said?.type !== type || boundary === undefined || said.boundary !== boundary || outer.includes(boundary)) return false;
    return yield* parts(window, node.childNodes ?? [], [...outer, boundary], limits);
  }
  if (node.size === undefined) return false;
  if (node.size < limits.skipBytes || said?.type !== type || !NEVER_TEXT.test(type)) return yield* passOn(window, node.size, limits);
  return skip(window, node.size, outer.at(-1), limits);
}

/** The parts of a multipart with its delimiters; the last of `boundaries` is its own. */
async function* parts(
  window: Window,
  children: readonly MessageStructureObject[],
  boundaries: readonly string[],
  limits: LargeLimits,
): AsyncGenerator<Uint8Array, boolean> {
  const boundary = boundaries.at(-1) ?? '';
  for (const child of children) {
    const size = await delimiterSize(window, `--${boundary}`, limits);
    if (size === undefined) return false;
    yield window.take(size);
    if (!(yield* part(window, child, boundaries, limits))) return false;
  }
  const size = await delimiterSize(window, `--${boundary}--`, limits);
  if (size === undefined) return false;
  yield window.take(size);
  return true;
}

/** Size of the header that begins here, its empty line included. */
async function headerSize(window: Window, { stepBytes }: LargeLimits): Promise<number | undefined> {
  for (let size = stepBytes; ; size += stepBytes) {
    await window.fill(size, stepBytes);
    if (window.bytes().subarray(0, 2).equals(BREAK)) return BREAK.length;
    const end = window.bytes().indexOf('\r\n\r\n', 0, 'latin1');
    if (end >= 0) return end + 4;
    if (window.atEnd() || size > LONGEST_HEADER) return undefined;
  }
}

/** Size of what lies before a delimiter line and of that line; undefined unless the first line that begins like one is exactly it. */
async function delimiterSize(window: Window, line: string, { stepBytes }: LargeLimits): Promise<number | undefined> {
  await window.fill(stepBytes, stepBytes);
  const bytes = window.bytes();
  const begin = line.endsWith('--') ? line.slice(0, -2) : line;
  const broken = bytes.subarray(0, begin.length).equals(Buffer.from(begin)) ? -BREAK.length : bytes.indexOf(`\r\n${begin}`, 0, 'latin1');
  if (broken === -1) return undefined;
  const from = broken + BREAK.length;
  const end = bytes.indexOf('\r\n', from, 'latin1');
  if (end < 0) return window.atEnd() && bytes.toString('latin1', from) === line ? bytes.length : undefined;
  return bytes.toString('latin1', from, end) === line ? end + BREAK.length : undefined;
}

const BREAK = Buffer.from('\r\n');

/** Leaves bytes out, if a delimiter or the end of the message follows them; otherwise nothing happened. */
async function skip(window: Window, size: number, boundary: string | undefined, { stepBytes }: LargeLimits): Promise<boolean> {
  const start = window.at();
  window.seek(start + size);
  await window.fill(stepBytes, stepBytes);
  const follows = boundary === undefined ? window.atEnd() && window.bytes().length === 0 : startsWithDelimiter(window.bytes(), boundary);
  if (!follows) window.seek(start);
  return follows;
}

function startsWithDelimiter(bytes: Buffer, boundary: string): boolean {
  const line = `\r\n--${boundary}`;
  const text = bytes.subarray(0, line.length + 4).toString('latin1');
  return text.startsWith(`${line}\r\n`) || text === `${line}--` || text === `${line}--\r\n`;
}

async function* passOn(window: Window, size: number, limits: LargeLimits): AsyncGenerator<Uint8Array, boolean> {
  for (let left = size; left > 0; ) {
    await window.fill(1, Math.min(limits.pieceBytes, Math.max(left, limits.stepBytes)));
    const taken = window.take(left);
    if (taken.length === 0) return false;
    left -= taken.length;
    yield taken;
  }
  return true;
}

async function* rest(window: Window, limits: LargeLimits): AsyncGenerator<Uint8Array> {
  for (;;) {
    await window.fill(1, limits.pieceBytes);
    const taken = window.take(limits.pieceBytes);
    if (taken.length === 0) return;
    yield taken;
  }
}
