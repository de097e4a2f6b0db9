import { createInstanceRegistry } from '../../../src/adapters/linux/instances.ts';

/** A worker process that does nothing but live: says who it is, stops cleanly when its input ends. */
const registry = createInstanceRegistry({ directory: process.argv[2] ?? '' });
await registry.start();
process.stdout.write(`${JSON.stringify(registry.self)}\n`);
process.stdin.resume();
process.stdin.once('end', () => void registry.stop());
