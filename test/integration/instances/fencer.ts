import { createInstanceRegistry } from '../../../src/adapters/linux/instances.ts';
import type { ProcessIdentity } from '../../../src/core/ports/journal.ts';

/** Fences one process off and says how it went; runs under whatever user it was started as. */
const [directory = '', other = '{}'] = process.argv.slice(2);
const identity = JSON.parse(other) as ProcessIdentity;
const registry = createInstanceRegistry({ directory, timing: { waitMs: 500, pollMs: 5 } });
process.stdout.write(`${JSON.stringify(await registry.ensureDead(identity))}\n`);
