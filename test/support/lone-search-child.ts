import { writeFileSync } from 'node:fs';
import { serveScans } from '../../src/adapters/search-process/serve.ts';

/** A search process of which only one can start: the first writes its pid into the file that it is given, the others fail there. */
writeFileSync(process.argv[2] ?? '', String(process.pid), { flag: 'wx' });
serveScans(async () => ({ ok: true, found: { count: 0, hits: [] } }));
