import path from 'node:path';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { patientLinks } from '../../support/content/index-links.ts';
import { depsOf, realBackends } from '../../support/content/rig.ts';

/** One search as the process that this is; `argv` names the folder with root and index. Prints how often it found the needle, and why without the index. */
const [, , folder = ''] = process.argv;
const root = path.join(folder, 'root');
const backend = (await realBackends()).rg;
const index = await patientLinks(hostsSettings(path.join(folder, 'cache')), treesOf(root, DEFAULT_DENIED_PATTERNS), backend);
if (index === undefined) throw new Error('there is no index');
const search = createContentSearch(depsOf({ root, backend, emitStats: true, index }));
const signal = new AbortController().signal;
let found = await search.search({ pattern: 'needle' }, signal);
for (let tries = 0; tries < 20 && found.ok && found.run.indexBypass === 'NO_HOST'; tries += 1) found = await search.search({ pattern: 'needle' }, signal);
index.close();
process.stdout.write(JSON.stringify(found.ok ? [found.answer.count, found.run.indexBypass ?? 'none'] : found));
