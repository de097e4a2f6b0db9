import { describe, expect, it } from 'vitest';
import { isSameFile } from '../../../../../src/content-search/ngram-index/build/same-file.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../../../../../src/content-search/ngram-index/segment/format.ts';
import type { TreeFileStat } from '../../../../../src/core/ports/index.ts';

const document: SegmentDocument = { path: Buffer.from('a'), size: 3, mtimeNs: 10n, ctimeNs: 11n, ino: 7n, dev: 2n, flags: 0 };
const stat: TreeFileStat = { size: 3, mtimeNs: 10n, ctimeNs: 11n, ino: 7n, dev: 2n, links: 1, ownerMayRead: true };

describe('a file and the document that was made of it', () => {
  it('are the same while size, times and identity are', { tags: ['FR-LSI-TRK-01'] }, () => {
    expect(isSameFile(stat, document)).toBe(true);
  });

  it.each(['size', 'mtimeNs', 'ctimeNs', 'ino', 'dev'] as const)('are not when %s differs alone', { tags: ['FR-LSI-TRK-01'] }, (field) => {
    const other = field === 'size' ? stat.size + 1 : stat[field] + 1n;
    expect(isSameFile({ ...stat, [field]: other }, document)).toBe(false);
  });

  it('are not known to be when its times were too young as it was read', { tags: ['FR-LSI-TRK-01'] }, () => {
    expect(isSameFile(stat, { ...document, flags: DOCUMENT_FLAG.racy })).toBe(false);
    expect(isSameFile(stat, { ...document, flags: DOCUMENT_FLAG.racy | DOCUMENT_FLAG.always })).toBe(false);
  });

  it('are not known to be when the file has a further name, unless every search looks at it anyway', { tags: ['FR-LSI-TRK-01'] }, () => {
    expect(isSameFile({ ...stat, links: 2 }, document)).toBe(false);
    expect(isSameFile({ ...stat, links: 2 }, { ...document, flags: DOCUMENT_FLAG.always })).toBe(true);
    expect(isSameFile({ ...stat, links: 2 }, { ...document, flags: DOCUMENT_FLAG.unreadable })).toBe(false);
    // Removed, but still open somewhere.
    expect(isSameFile({ ...stat, links: 0 }, document)).toBe(true);
  });
});
