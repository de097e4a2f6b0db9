import type { FileRefusal, TreeFileRead, TreeFileStat, TreeFiles } from '../../../core/ports/index.ts';
import type { Candidate } from '../../search/types.ts';
import { type FileFacts, fileVeto } from '../query/gate.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../segment/format.ts';
import type { Tokens } from '../tokenize/tokenizer.ts';
import type { GramSet } from '../tokenize/trigrams.ts';
import { absolutePath, bytesOf } from './tree-paths.ts';

export interface DocumentReader {
  readonly root: string;
  readonly files: TreeFiles;
  readonly tokenize: (bytes: Uint8Array) => Tokens;
  /** The size above which a file is not tokenized. */
  readonly maxTokenizedBytes: number;
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
  const { root, files, maxTokenizedBytes, nowMs } = reader;
  const path = absolutePath(root, candidate);
  const begunMs = nowMs();
  const read = files.read(path, maxTokenizedBytes);
  if (!('refused' in read)) return documentOf(reader, bytesOf(candidate), read, begunMs);
  if (isGone(read)) return 'gone';
  const stat = files.stat(path);
  if ('refused' in stat && isGone(stat)) return 'gone';
  return { document: unreadableDocument(bytesOf(candidate), 'refused' in stat ? UNKNOWN : stat), grams: undefined, bytes: 0 };
}

function documentOf({ tokenize, maxTokenizedBytes }: DocumentReader, path: Buffer, { bytes, stat, stable }: TreeFileRead, begunMs: number): ReadDocument {
  const tokens = stat.size > maxTokenizedBytes ? undefined : tokenize(bytes);
  const veto = tokens === undefined || fileVeto(factsOf(tokens, stat, stable, path)) !== undefined;
  const flags = (veto ? DOCUMENT_FLAG.always : 0) | (isRacy(stat, begunMs) || !stable ? DOCUMENT_FLAG.racy : 0);
  return { document: { path, ...fieldsOf(stat), flags }, grams: veto ? undefined : tokens?.grams, bytes: bytes.length };
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
