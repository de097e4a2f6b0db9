import type { TaskManifest } from '../../contracts/index.ts';
import { FILE_CAPABILITIES } from '../../contracts/index.ts';
import { isWritError } from '../../core/errors.ts';
import type { ConfinedBase, ConfinedDirectory, ConfinedFileSystem, Entry, FilePreview, FsResult } from '../../core/ports/index.ts';
import { type Descriptors, withDescriptors } from './descriptors.ts';
import { parseRequest } from './inputs.ts';
import type { BaseOption } from './options.ts';
import { type TaskPath, toPathBase } from './paths.ts';
import { explain, type Refused } from './refusals.ts';

/**
 * What a file task would find on this host now: the rules of its paths, its source, and what stands at its destination. Nothing is
 * made, kept open or written down; what is found may be otherwise when the task runs.
 *
 * @param bases the base directories of this host
 * @returns undefined for a task that is no file task
 */
export async function previewFile(
  manifest: TaskManifest,
  bases: readonly BaseOption[],
  fileSystem: Pick<ConfinedFileSystem, 'openBase'>,
): Promise<FilePreview | undefined> {
  if (!FILE_CAPABILITIES.has(manifest.capability_id)) return undefined;
  const parsed = parseRequest(manifest, bases.map(toPathBase), FILE_CAPABILITIES);
  if (!parsed.ok) return { problems: [{ field: 'inputs', message: parsed.error.error?.message ?? 'is refused' }] };
  const { operation, source, destination } = parsed.value;
  const paths = { operation, source: source.absolute, ...(destination === undefined ? {} : { destination: destination.absolute }) };
  return withDescriptors(async (descriptors) => {
    const found = await entryAt(source, bases, fileSystem, descriptors, 'the source');
    const standing = destination && (await entryAt(destination, bases, fileSystem, descriptors, 'the destination'));
    const problems = [
      ...(typeof found === 'string' ? [{ field: 'inputs.source_path', message: found }] : sourceProblems(found)),
      ...(typeof standing === 'string' ? [{ field: 'inputs.destination_path', message: standing }] : destinationProblems(standing)),
    ];
    const bytes = typeof found === 'object' && found.ok && found.value.type === 'file' ? { bytes: Number(found.value.size) } : {};
    return { ...paths, ...bytes, problems };
  });
}

function sourceProblems(found: FsResult<Entry>): FilePreview['problems'] {
  if (!found.ok) return [{ field: 'inputs.source_path', message: sentence('the source', found) }];
  return found.value.type === 'file' ? [] : [{ field: 'inputs.source_path', message: 'the source is no regular file; only regular files are touched' }];
}

function destinationProblems(standing: FsResult<Entry> | undefined): FilePreview['problems'] {
  if (standing === undefined || (!standing.ok && standing.refusal === 'missing')) return [];
  return [{ field: 'inputs.destination_path', message: standing.ok ? 'the destination exists' : sentence('the destination', standing) }];
}

/** What stands under the last name of a path; a sentence where the way there leads nowhere. */
async function entryAt(
  path: TaskPath,
  bases: readonly BaseOption[],
  fileSystem: Pick<ConfinedFileSystem, 'openBase'>,
  descriptors: Descriptors,
  what: string,
): Promise<FsResult<Entry> | string> {
  const option = bases.find(({ id }) => id === path.base);
  if (option === undefined) return 'lies below no base directory';
  const base = await opened(fileSystem, option);
  if (typeof base === 'string') return base;
  descriptors.add(base);
  const parent: FsResult<ConfinedDirectory> = await base.directory(path.segments.slice(0, -1));
  if (!parent.ok) return sentence(`${what}'s directory`, parent);
  return descriptors.add(parent.value).entry(path.segments.at(-1) ?? '');
}

async function opened(fileSystem: Pick<ConfinedFileSystem, 'openBase'>, { id, path }: BaseOption): Promise<ConfinedBase | string> {
  try {
    return await fileSystem.openBase(id, path);
  } catch (error) {
    if (!isWritError(error)) throw error;
    return `the base directory '${id}' cannot be opened on this host`;
  }
}

function sentence(what: string, refused: Refused): string {
  return explain(what, refused).error?.message ?? 'is refused';
}
