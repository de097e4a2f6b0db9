import type { GeneratedFile } from '../generated.ts';
import { errorsDocument } from './errors-document.ts';

/** Pages that are made from tables of the product. */
export function docsFiles(): GeneratedFile[] {
  return [{ path: 'docs/generated/errors.md', content: errorsDocument() }];
}
