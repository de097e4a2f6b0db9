import { execFileSync } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';

/**
 * `npm pack` asks first (`prepack`): what is packed has the modes of everybody's checkout, whatever the umask of this one, so that
 * two builds of a commit are the same bytes.
 */
const [packed] = Object.values(JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8', maxBuffer: 2 ** 26 })));
for (const { path } of packed.files) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
