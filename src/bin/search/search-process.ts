import { makeDirectory } from '../../adapters/files/make-directory.ts';
import { serveScans } from '../../adapters/search-process/serve.ts';
import { spillOf } from '../../adapters/search-process/spill.ts';
import { messageOf } from '../../core/errors.ts';
import { scan } from '../../executors/search/scans.ts';
import type { SearchProcessOptions } from './process.ts';
import { loadScans } from './scans.ts';

/** The process of a search (design 6), started by the worker's pool with its options as the one argument. */
const options = JSON.parse(process.argv[2] ?? '') as SearchProcessOptions;
const spillDirectory = spillOf(options.spillDirectory, process.pid);
makeDirectory(spillDirectory);
const scans = await loadScans({ ...options, spillDirectory });
serveScans((request) => scan(request, scans, (error) => process.stderr.write(`search: ${messageOf(error)}\n`)));
