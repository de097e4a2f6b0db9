import type { FileRefusal, TreeFileStat, TreeFiles } from '../../../core/ports/index.ts';
import type { Candidate } from '../../search/types.ts';
import { type FileFacts, fileVeto } from '../query/gate.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../segment/format.ts';
import type { Tokens } from '../tokenize/tokenizer.ts';
import type { GramSet } from '../tokenize/trigrams.ts';
import { MAX_WINDOWS, type WindowTokenizer } from '../tokenize/windows.ts';
import { absolutePath, bytesOf } from './tree-paths.ts';

export interface DocumentReader {
  readonly root: string;
  readonly files: TreeFiles;
  readonly tokenize: (bytes: Uint8Array) => Tokens;
  /** The size above which a file is tokenized window by window. */
  readonly maxTokenizedBytes: number;
  readonly windows: WindowTokenizer;
  /** Milliseconds since 1970, as file systems count them. */
  readonly nowMs: () => number;
}

export interface ReadDocument {
  readonly document: SegmentDocument;
  /** The n-grams; `undefined` for a document that is a candidate of every search. */
  readonly grams: GramSet | undefined;
  readonly bytes: number;
}

/** Errors that say that no eligible file is there any more: nothing, a link, or something that is no regular file. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL']);

export const isGone = ({ refused }: FileRefusal): boolean => GONE.has(refused);

/** The age, in milliseconds, up to which the times of a file cannot tell a later change: clocks of file systems are coarse. */
const RACY_MS = 2_000;

/**
 * Reads a file of the tree and takes its n-grams. What may be wrong about them makes it `always` (gate.ts, `fileVeto`); a file
 * that cannot be opened is a document too, because a search that can must find it.
 *
 * @returns 'gone' if there is no regular file of this name
 */
export function readDocument(reader: DocumentReader, candidate: Candidate): ReadDocument | 'gone' {
  const { root, files, maxTokenizedBytes, windows, nowMs } = reader;
  const path = absolutePath(root, candidate);
  const begunMs = nowMs();
  const read = files.read(path, maxTokenizedBytes);
  if (!('refused' in read)) {
    const { stat, bytes } = read;
    if (stat.size <= maxTokenizedBytes) return documentOf(bytesOf(candidate), { ...read, bytes: bytes.length }, reader.tokenize(bytes), begunMs);
    if (stat.size > MAX_WINDOWS * windows.windowBytes) return documentOf(bytesOf(candidate), { ...read, bytes: 0 }, undefined, begunMs);
    const large = readLarge(reader, path);
    if (!('refused' in large)) return documentOf(bytesOf(candidate), large, large.tokens, begunMs);
  } else if (isGone(read)) return 'gone';
  const stat = files.stat(path);
  if ('refused' in stat && isGone(stat)) return 'gone';
  return { document: unreadableDocument(bytesOf(candidate), 'refused' in stat ? UNKNOWN : stat), grams: undefined, bytes: 0 };
}

interface FileRead {
  readonly stat: TreeFileStat;
  readonly stable: boolean;
  /** The number of bytes that were read. */
  readonly bytes: number;
}

function readLarge({ files, windows }: DocumentReader, path: Buffer | string): (FileRead & { readonly tokens: Tokens | undefined }) | FileRefusal {
  windows.begin();
  const read = files.readWindows(path, windows.windowBytes, windows.take);
  if ('refused' in read) return read;
  const { stat, stable, bytesRead: bytes, isWhole } = read;
  return { stat, stable, bytes, tokens: isWhole ? windows.finish() : undefined };
}

/** @param tokens undefined: none could be taken */
function documentOf(path: Buffer, { stat, stable, bytes }: FileRead, tokens: Tokens | undefined, begunMs: number): ReadDocument {
  const veto = tokens === undefined || fileVeto(factsOf(tokens, stat, stable, path)) !== undefined;
  const flags = (veto ? DOCUMENT_FLAG.always : 0) | (isRacy(stat, begunMs) || !stable ? DOCUMENT_FLAG.racy : 0);
  return { document: { path, ...fieldsOf(stat), flags }, grams: veto ? undefined : tokens?.grams, bytes };
}

function factsOf(tokens: Tokens, { links, ownerMayRead }: TreeFileStat, stable: boolean, path: Buffer): FileFacts {
  return { ...tokens, fresh: stable && links === 1, catalogued: !hasLineBreak(path), ownerMayRead };
}

/** The stat in the catalog of a file whose stat cannot be read. */
export const UNKNOWN: TreeFileStat = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n, dev: 0n, links: 0, ownerMayRead: false };

function unreadableDocument(path: Buffer, stat: TreeFileStat): SegmentDocument {
  return { path, ...fieldsOf(stat), flags: DOCUMENT_FLAG.always | DOCUMENT_FLAG.unreadable };
}

function fieldsOf({ size, mtimeNs, ctimeNs, ino, dev }: TreeFileStat): Omit<SegmentDocument, 'path' | 'flags'> {
  return { size, mtimeNs, ctimeNs, ino, dev };
}

function isRacy({ mtimeNs, ctimeNs }: TreeFileStat, begunMs: number): boolean {
  const limit = BigInt(Math.floor(begunMs - RACY_MS)) * 1_000_000n;
  return mtimeNs >= limit || ctimeNs >= limit;
}

const [LF, CR] = [0x0a, 0x0d];
const hasLineBreak = (path: Buffer): boolean => path.includes(LF) || path.includes(CR);
