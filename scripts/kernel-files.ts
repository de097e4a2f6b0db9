import { readFileSync } from 'node:fs';
import path from 'node:path';
import wabt from 'wabt';
import { packageRoot } from '../config/package.ts';
import type { GeneratedFile } from './generated.ts';

const SOURCE = 'src/messages/engines/vectors/kernel.wat';
const assembler = await wabt();

/** The kernel of the vector search, assembled: committed, so that nobody needs an assembler to run it. */
export function kernelFiles(root = packageRoot()): GeneratedFile[] {
  const module = assembler.parseWat(SOURCE, readFileSync(path.join(root, SOURCE), 'utf8'), { simd: true });
  module.validate();
  const code = Buffer.from(module.toBinary({}).buffer).toString('base64');
  module.destroy();
  const content = `/** kernel.wat in WebAssembly, base64; written by \`npm run kernel\`. */\nexport const KERNEL_CODE =\n  '${code}';\n`;
  return [{ path: 'src/messages/engines/vectors/kernel-code.ts', content }];
}
