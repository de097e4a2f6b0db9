import type { Found } from '../../core/ports/index.ts';
import { createDatasetsScan, createEmailsScan, createFilesScan, ScanError, type Scans } from '../../executors/search/scans.ts';
import type { SearchProcessOptions } from './process.ts';

/**
 * The scans of a search process, each with its adapters. The adapters of a kind are loaded when the process starts, and
 * only if there are scopes of that kind: the memory of DuckDB is then part of the idle size, and nobody else pays for it.
 */
export async function loadScans(options: SearchProcessOptions): Promise<Scans> {
  const [files, emails, datasets] = await Promise.all([
    options.kinds.includes('files') ? loadFiles() : missing,
    options.kinds.includes('emails') ? loadEmails() : missing,
    options.kinds.includes('datasets') ? loadDatasets(options) : missing,
  ]);
  return { files, emails, datasets };
}

async function loadFiles(): Promise<Scans['files']> {
  const { createTreeSource } = await import('../../adapters/linux/tree/index.ts');
  return createFilesScan(createTreeSource());
}

async function loadEmails(): Promise<Scans['emails']> {
  const [{ createMailFolderSource }, { createImapSource }] = await Promise.all([
    import('../../adapters/mail/index.ts'),
    import('../../adapters/imap/source.ts'),
  ]);
  return createEmailsScan({ folder: createMailFolderSource(), imap: createImapSource() });
}

async function loadDatasets({ spillDirectory, maxBytes }: SearchProcessOptions): Promise<Scans['datasets']> {
  const { createDatasetSources } = await import('../../adapters/duckdb/index.ts');
  return createDatasetsScan(await createDatasetSources({ spillDirectory, maxBytes }));
}

function missing(): Promise<Found> {
  throw new ScanError('SCOPE_UNAVAILABLE', 'this worker serves no scope of that kind');
}
